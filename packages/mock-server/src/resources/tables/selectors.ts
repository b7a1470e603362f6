import type { View } from './view.ts'

/** Labels as `a=b,c=d`, or `<none>` (`labels.FormatLabels`). */
export function formatLabels(labels: View): string {
  const text = labels.keys().map((key) => `${key}=${labels.at(key).string()}`)
  return text.length === 0 ? '<none>' : text.join(',')
}

/** A label selector as `a=b,c in (d,e),!f`; `undefined` when it is not valid. */
export function selectorText(selector: View): string | undefined {
  const requirements = selector
    .at('matchLabels')
    .keys()
    .map((key) => ({ key, text: `${key}=${selector.at('matchLabels', key).string()}` }))
  for (const expression of selector.at('matchExpressions').list()) {
    const key = expression.at('key').string()
    const values = [...expression.at('values').strings()].sort().join(',')
    switch (expression.at('operator').string()) {
      case 'In':
        requirements.push({ key, text: `${key} in (${values})` })
        break
      case 'NotIn':
        requirements.push({ key, text: `${key} notin (${values})` })
        break
      case 'Exists':
        requirements.push({ key, text: key })
        break
      case 'DoesNotExist':
        requirements.push({ key, text: `!${key}` })
        break
      default:
        return undefined
    }
  }
  return requirements
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

/** The same for people (`metav1.FormatLabelSelector`). */
export function formatLabelSelector(selector: View): string {
  const text = selectorText(selector)
  return text === undefined ? '<error>' : text === '' ? '<none>' : text
}

/** A selector as Go prints the struct. */
export function goLabelSelector(selector: View): string {
  const labels = selector
    .at('matchLabels')
    .keys()
    .map((key) => `${key}: ${selector.at('matchLabels', key).string()},`)
  const expressions = selector
    .at('matchExpressions')
    .list()
    .map((expression) => {
      const values = expression.at('values').strings().join(' ')
      return `LabelSelectorRequirement{Key:${expression.at('key').string()},Operator:${expression.at('operator').string()},Values:[${values}],},`
    })
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}
