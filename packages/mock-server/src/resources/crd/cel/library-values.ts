import type { Quantity } from '../../quantity.ts'
import { maskPrefix, printIp, type IpBytes, type Prefix } from '../../../go/net.ts'
import type { GoUrl } from '../../../go/url.ts'
import { opaqueType, structType, type CelType } from './types.ts'
import { LibraryValue, noSuchOverload, type CelError, type Value } from './values.ts'

/** Values of the types that Kubernetes adds to CEL (`apiserver: pkg/cel`). */

export class QuantityValue extends LibraryValue {
  readonly type: CelType = structType('kubernetes.Quantity')
  readonly quantity: Quantity

  constructor(quantity: Quantity) {
    super()
    this.quantity = quantity
  }

  equals(other: Value): boolean | CelError {
    return other instanceof QuantityValue ? this.quantity.compare(other.quantity) === 0 : noSuchOverload
  }
}

export class UrlValue extends LibraryValue {
  readonly type: CelType = structType('kubernetes.URL')
  readonly url: GoUrl
  readonly #text: string

  constructor(url: GoUrl, text: string) {
    super()
    this.url = url
    this.#text = text
  }

  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? this.#text === other.#text : noSuchOverload
  }
}

export class IpValue extends LibraryValue {
  readonly type: CelType = opaqueType('net.IP')
  readonly bytes: IpBytes
  override readonly size: number

  constructor(bytes: IpBytes) {
    super()
    this.bytes = bytes
    this.size = bytes.length
  }

  equals(other: Value): boolean | CelError {
    return other instanceof IpValue ? printIp(this.bytes) === printIp(other.bytes) : noSuchOverload
  }
}

export class CidrValue extends LibraryValue {
  readonly type: CelType = opaqueType('net.CIDR')
  readonly prefix: Prefix
  override readonly size: number

  constructor(prefix: Prefix) {
    super()
    this.prefix = prefix
    this.size = Math.ceil(prefix.bits / 8)
  }

  get text(): string {
    return `${printIp(this.prefix.bytes)}/${this.prefix.bits}`
  }

  get masked(): CidrValue {
    return new CidrValue(maskPrefix(this.prefix))
  }

  equals(other: Value): boolean | CelError {
    return other instanceof CidrValue ? this.text === other.text : noSuchOverload
  }
}

/** A named format, and how to tell whether a text has it. */
export class FormatValue extends LibraryValue {
  readonly type: CelType = structType('kubernetes.NamedFormat')
  readonly name: string
  readonly check: (text: string) => readonly string[]
  /** Length of a pattern that would do the same, for costs. */
  readonly patternLength: number

  constructor(name: string, patternLength: number, check: (text: string) => readonly string[]) {
    super()
    this.name = name
    this.patternLength = patternLength
    this.check = check
  }

  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.name === other.name : noSuchOverload
  }
}

export class SemverValue extends LibraryValue {
  readonly type: CelType = structType('kubernetes.Semver')
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: readonly string[]

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super()
    this.numbers = numbers
    this.prerelease = prerelease
  }

  /** Order by precedence: a prerelease comes before its release. */
  compare(other: SemverValue): number {
    for (const [i, mine] of this.numbers.entries()) {
      const theirs = other.numbers[i]!
      if (mine !== theirs) return mine < theirs ? -1 : 1
    }
    if (this.prerelease.length === 0 || other.prerelease.length === 0) {
      return Math.sign(other.prerelease.length - this.prerelease.length)
    }
    for (const [i, mine] of this.prerelease.entries()) {
      const theirs = other.prerelease[i]
      if (theirs === undefined) return 1
      if (mine === theirs) continue
      const [a, b] = [/^\d+$/.test(mine), /^\d+$/.test(theirs)]
      if (a && b) return BigInt(mine) < BigInt(theirs) ? -1 : 1
      if (a !== b) return a ? -1 : 1
      return mine < theirs ? -1 : 1
    }
    return this.prerelease.length < other.prerelease.length ? -1 : 0
  }

  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? this.compare(other) === 0 : noSuchOverload
  }
}
