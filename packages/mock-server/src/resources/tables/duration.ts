import type { View } from './view.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const parts = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`

/** A duration as people read it, in at most two units (`apimachinery: pkg/util/duration: HumanDuration`). */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND)
  // Clocks of two machines may differ a little.
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(milliseconds / MINUTE)
  if (minutes < 10) return parts(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(milliseconds / HOUR)
  if (hours < 8) return parts(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return parts(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 365 * 8 ? parts(years, 'y', days % 365, 'd') : `${years}y`
}

/** How long ago a time was. */
export function since(time: View, now: number): string {
  return time.exists ? humanDuration(now - Date.parse(time.string())) : '<unknown>'
}
