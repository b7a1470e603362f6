/*
 * The forms that names, label keys and label values have (`apimachinery: pkg/api/validate/content`). Each
 * check answers what is wrong, in upstream's words, and nothing when all is well.
 */

const encoder = new TextEncoder()

/** Length in bytes of UTF-8, which is what Kubernetes' limits count. */
export function utf8Length(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= 0x80) return encoder.encode(text).length
  }
  return text.length
}

/** What labels and values of labels say when they are too long; other names say `characters`. */
export function maxLengthError(length: number): string {
  return `must be no more than ${length} bytes`
}

/** `message (e.g. 'a',  or 'b', regex used for validation is '…')`, odd commas and all. */
export function regexError(message: string, regex: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${shown}regex used for validation is '${regex}')`
}

const labelNameFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelNameMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const labelName = new RegExp(`^${labelNameFormat}$`)
const labelNameError = regexError(labelNameMessage, labelNameFormat, 'MyName', 'my.name', '123-abc')

const dns1123LabelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const dns1123Label = new RegExp(`^${dns1123LabelFormat}$`)
const dns1123SubdomainFormat = `${dns1123LabelFormat}(\\.${dns1123LabelFormat})*`
const dns1123Subdomain = new RegExp(`^${dns1123SubdomainFormat}$`)

/** A lower-case RFC 1123 label: most names of things that become host names. */
export function isDNS1123Label(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > 63) errors.push(maxLengthError(63))
  if (!dns1123Label.test(value)) {
    if (dns1123Subdomain.test(value)) errors.push('must not contain dots')
    else {
      const message =
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
      errors.push(regexError(message, dns1123LabelFormat, 'my-name', '123-abc'))
    }
  }
  return errors
}

/** A lower-case RFC 1123 subdomain: most names. */
export function isDNS1123Subdomain(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > 253) errors.push(maxLengthError(253))
  if (!dns1123Subdomain.test(value)) {
    const message =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
    errors.push(regexError(message, dns1123SubdomainFormat, 'example.com'))
  }
  return errors
}

/** A label's or an annotation's key: `name`, or `subdomain/name`. */
export function isLabelKey(value: string): string[] {
  const errors: string[] = []
  const parts = value.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key ${labelNameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1)!
  if (parts.length === 2) {
    const prefix = parts[0]!
    if (prefix === '') errors.push('prefix part must be non-empty')
    else errors.push(...isDNS1123Subdomain(prefix).map((error) => `prefix part ${error}`))
  }
  if (name === '') errors.push('name part must be non-empty')
  else if (utf8Length(name) > 63) errors.push(`name part ${maxLengthError(63)}`)
  if (!labelName.test(name)) errors.push(`name part ${labelNameError}`)
  return errors
}

/** A label's value: empty, or formed as a label's name. */
export function isLabelValue(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > 63) errors.push(maxLengthError(63))
  if (value !== '' && !labelName.test(value)) {
    errors.push(
      regexError(
        `a valid label must be an empty string or ${labelNameMessage.slice('must '.length)}`,
        `(${labelNameFormat})?`,
        'MyValue',
        'my_value',
        '12345',
      ),
    )
  }
  return errors
}
