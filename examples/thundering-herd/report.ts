import type { Result, Scenario } from './simulate.ts'

const COLOURS = ['#4269d0', '#ff725c', '#3ca951', '#a463f2']

const columns: readonly [string, (result: Result) => string][] = [
  ['behaviour', ({ behaviour }) => behaviour.name],
  ['lists from etcd', ({ storageReads }) => number(storageReads)],
  ['most in 1 s', ({ peakStorageReads }) => number(peakStorageReads)],
  ['revision asks', ({ revisionReads }) => number(revisionReads)],
  ['waits', ({ waits }) => number(waits)],
  ['retries', ({ retries }) => number(retries)],
  ['failed', ({ failures }) => number(failures)],
  ['stale', ({ stale }) => number(stale)],
  ['median', ({ medianMs }) => seconds(medianMs)],
  ['p99', ({ p99Ms }) => seconds(p99Ms)],
  ['recovered after', ({ recoveryMs }) => (recoveryMs === undefined ? 'nothing was open' : seconds(recoveryMs))],
]

/** One line saying what was played. */
export function heading({ clients, objects, arrivalMs, stallMs }: Scenario): string {
  return (
    `${number(clients)} clients write and then list ${objects} objects, evenly over ${arrivalMs / 1000} s; ` +
    `the cache stands still from 1 s to ${1 + stallMs / 1000} s`
  )
}

/** The results as a table for a terminal, which is Markdown too. */
export function table(results: readonly Result[]): string {
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join('\n')
}

/** A page with the table and both charts. */
export function page(scenario: Scenario, results: readonly Result[]): string {
  const cells = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<!doctype html>
<meta charset="utf-8">
<title>A thundering herd on a stalled watch cache</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2em auto; padding: 0 1em }
  table { border-collapse: collapse } th, td { padding: .3em .7em; border-bottom: 1px solid #ccc; text-align: right }
  th:first-child, td:first-child { text-align: left }
</style>
<h1>A thundering herd on a stalled watch cache</h1>
<p>${heading(scenario)}.</p>
<table>
${cells(
  'th',
  columns.map(([title]) => title),
)}
${results
  .map((result) =>
    cells(
      'td',
      columns.map(([, cell]) => cell(result)),
    ),
  )
  .join('\n')}
</table>
${svg(scenario, results)}
`
}

/** Lists read from etcd and failed reads, by second. */
export function svg(scenario: Scenario, results: readonly Result[]): string {
  const width = 960
  const panel = 200
  const left = 80
  const total = Math.max(
    scenario.arrivalMs / 1000 + 2,
    ...results.flatMap(({ readsPerSecond, failuresPerSecond }) => [readsPerSecond.length, failuresPerSecond.length]),
    3 + scenario.stallMs / 1000,
  )
  const x = (second: number): number => left + (second / total) * (width - left - 20)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${2 * (panel + 70) + 110}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
  ]
  const charts: readonly [string, (result: Result) => readonly number[]][] = [
    ['Lists read from etcd, per second; in grey, the cache stands still', (result) => result.readsPerSecond],
    ['Failed reads, per second; in grey, the cache stands still', (result) => result.failuresPerSecond],
  ]
  charts.forEach(([title, seriesOf], i) => {
    const top = 40 + i * (panel + 70)
    const most = Math.max(1, ...results.flatMap(seriesOf))
    const y = (value: number): number => top + panel - (value / most) * panel
    parts.push(
      `<rect x="${x(1)}" y="${top}" width="${x(1 + scenario.stallMs / 1000) - x(1)}" height="${panel}" fill="#eee"/>`,
      `<text x="${left}" y="${top - 12}" font-size="14" font-weight="600">${title}</text>`,
      `<path d="M${left} ${top}V${top + panel}H${width - 20}" fill="none" stroke="#333"/>`,
    )
    for (const share of [0, 0.5, 1]) {
      parts.push(
        `<text x="${left - 8}" y="${y(share * most) + 4}" text-anchor="end">${number(Math.round(share * most))}</text>`,
      )
    }
    for (let second = 0; second <= total; second += total > 20 ? 5 : 1) {
      parts.push(`<text x="${x(second)}" y="${top + panel + 16}" text-anchor="middle">${second} s</text>`)
    }
    results.forEach((result, j) => {
      const series = seriesOf(result)
      const points = Array.from({ length: Math.ceil(total) }, (_, second) => {
        const value = series[second] ?? 0
        return `${x(second).toFixed(1)},${y(value).toFixed(1)} ${x(Math.min(total, second + 1)).toFixed(1)},${y(value).toFixed(1)}`
      })
      parts.push(
        `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[j]}" stroke-width="${5 - j}" stroke-opacity=".8"/>`,
      )
    })
  })
  results.forEach(({ behaviour }, j) => {
    const top = 2 * (panel + 70) + 30 + j * 18
    parts.push(
      `<rect x="${left}" y="${top - 9}" width="14" height="10" fill="${COLOURS[j]}"/>`,
      `<text x="${left + 22}" y="${top}">${behaviour.name}</text>`,
    )
  })
  return [...parts, '</svg>'].join('\n')
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
