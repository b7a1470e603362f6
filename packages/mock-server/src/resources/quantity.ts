/** Which suffixes a quantity was written with, and is printed with. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

const NANO = 1_000_000_000n
/** Values are capped here, on both sides of zero (`apimachinery: pkg/api/resource/amount.go: maxAllowed`). */
const MAX = ((1n << 63n) - 1n) * NANO
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n }
const DECIMAL_SUFFIX: ReadonlyMap<number, string> = new Map(
  Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]),
)

/** Why a text is no quantity, in the server's words (`apimachinery: pkg/api/resource/quantity.go`). */
export class QuantityError extends Error {
  override readonly name: string = 'QuantityError'
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/** An amount such as `500m`, `1Gi` or `1e3` (`apimachinery: pkg/api/resource: Quantity`), exact to the nano. */
export class Quantity {
  /** In billionths. */
  readonly nano: bigint
  readonly format: QuantityFormat

  constructor(nano: bigint, format: QuantityFormat) {
    this.nano = nano
    this.format = format
  }

  /** Parses; throws a {@link QuantityError} that says what is wrong. More precise amounts are rounded up, away from zero. */
  static parse(text: string): Quantity {
    const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]*[-+]?[0-9]*))$/.exec(text)
    if (text === '' || match === null) throw new QuantityError(WRONG_FORMAT)
    const [, sign, whole, fraction = '', suffix] = match as unknown as [
      string,
      string,
      string,
      string | undefined,
      string,
    ]
    if (whole === '' && fraction === '') throw new QuantityError(WRONG_FORMAT)
    const digits = BigInt(whole + fraction)
    const places = fraction.length
    let numerator = digits * NANO
    let denominator = 10n ** BigInt(places)
    let format: QuantityFormat
    const bits = BINARY[suffix]
    const decimal = DECIMAL[suffix]
    if (bits !== undefined) {
      format = 'BinarySI'
      numerator <<= bits
    } else {
      let exponent = decimal
      format = 'DecimalSI'
      if (exponent === undefined) {
        const power = /^[eE]([-+]?[0-9]+)$/.exec(suffix)
        if (power === null) throw new QuantityError("unable to parse quantity's suffix")
        format = 'DecimalExponent'
        exponent = Math.max(-1000, Math.min(1000, Number(power[1])))
      }
      if (exponent >= 0) numerator *= 10n ** BigInt(exponent)
      else denominator *= 10n ** BigInt(-exponent)
    }
    let nano = ceilDivide(numerator, denominator)
    if (nano > MAX) nano = MAX
    return new Quantity(sign === '-' ? -nano : nano, format)
  }

  /** Parses, or gives `undefined` where the text is no quantity. */
  static tryParse(text: string): Quantity | undefined {
    try {
      return Quantity.parse(text)
    } catch {
      return undefined
    }
  }

  static zero(format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(0n, format)
  }

  add(other: Quantity): Quantity {
    return new Quantity(this.nano + other.nano, this.nano === 0n ? other.format : this.format)
  }

  subtract(other: Quantity): Quantity {
    return new Quantity(this.nano - other.nano, this.nano === 0n ? other.format : this.format)
  }

  compare(other: Quantity): number {
    return this.nano < other.nano ? -1 : this.nano > other.nano ? 1 : 0
  }

  get isInteger(): boolean {
    return this.nano % NANO === 0n
  }

  /** The whole value, rounded up, away from zero. */
  get value(): bigint {
    return this.nano < 0n ? -ceilDivide(-this.nano, NANO) : ceilDivide(this.nano, NANO)
  }

  /** The value in thousandths, rounded up, away from zero. */
  get milliValue(): bigint {
    const unit = NANO / 1000n
    return this.nano < 0n ? -ceilDivide(-this.nano, unit) : ceilDivide(this.nano, unit)
  }

  /** The one way this amount is printed: no fraction, the largest suffix that needs none. */
  toString(): string {
    if (this.nano === 0n) return '0'
    const sign = this.nano < 0n ? '-' : ''
    const amount = this.nano < 0n ? -this.nano : this.nano
    if (this.format === 'BinarySI' && amount >= 1024n * NANO && amount % NANO === 0n) {
      let mantissa = amount / NANO
      let suffix = ''
      for (const next of Object.keys(BINARY)) {
        if ((mantissa & 1023n) !== 0n) break
        mantissa >>= 10n
        suffix = next
      }
      return `${sign}${mantissa}${suffix}`
    }
    let mantissa = amount
    let exponent = -9
    while (mantissa % 1000n === 0n && (this.format === 'DecimalExponent' || exponent < 18)) {
      mantissa /= 1000n
      exponent += 3
    }
    if (this.format === 'DecimalExponent') return `${sign}${mantissa}${exponent === 0 ? '' : `e${exponent}`}`
    return `${sign}${mantissa}${DECIMAL_SUFFIX.get(exponent)!}`
  }
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}
