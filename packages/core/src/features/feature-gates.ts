import { goQuote } from '../errors/go-text.ts'
import { knownFeatures, type FeatureName, type FeatureStage, type VersionedFeature } from './known-features.ts'

/** Versions that can be emulated, oldest first; the last is the default. */
export const emulatedVersions = ['1.34', '1.35', '1.36', '1.37'] as const

/** A version that can be emulated. */
export type EmulatedVersion = (typeof emulatedVersions)[number]

/** Options of {@link FeatureGates}. */
export interface FeatureGatesOptions {
  /** Whose defaults hold; default the newest. */
  readonly emulatedVersion?: string | undefined
  /** What is to be on or off, whatever the defaults. */
  readonly overrides?: Readonly<Record<string, boolean>> | undefined
}

/** A feature as it stands. */
export interface FeatureState {
  readonly name: FeatureName
  readonly stage: FeatureStage
  readonly enabled: boolean
}

/**
 * Which features are on (`component-base: featuregate/feature_gate.go`). Each server has its own; there is
 * no global one.
 */
export class FeatureGates {
  readonly emulatedVersion: EmulatedVersion
  readonly #states = new Map<string, FeatureState>()

  /** Throws a TypeError for a version that cannot be emulated, an unknown feature, and one that cannot be changed. */
  constructor(options: FeatureGatesOptions = {}) {
    this.emulatedVersion = checkVersion(options.emulatedVersion ?? emulatedVersions.at(-1)!)
    const specs = new Map<string, VersionedFeature | undefined>()
    for (const [name, versions] of Object.entries(knownFeatures)) {
      const spec = versions.findLast(({ version }) => minor(version) <= minor(this.emulatedVersion))
      specs.set(name, spec)
      if (spec !== undefined) {
        this.#states.set(name, { name: name as FeatureName, stage: spec.stage, enabled: spec.default })
      }
    }
    const problems: string[] = []
    for (const [name, enabled] of Object.entries(options.overrides ?? {})) {
      const problem = this.#override(name, enabled, specs)
      if (problem !== undefined) problems.push(problem)
    }
    if (problems.length > 0) throw new TypeError(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`)
  }

  /** Whether the feature is on; one that is younger than the emulated version is off. */
  enabled(name: FeatureName): boolean {
    return this.#states.get(name)?.enabled ?? false
  }

  /** The features that the emulated version has, by name. */
  list(): FeatureState[] {
    return [...this.#states.values()]
  }

  #override(
    name: string,
    enabled: boolean,
    specs: ReadonlyMap<string, VersionedFeature | undefined>,
  ): string | undefined {
    if (!specs.has(name)) return `unrecognized feature gate: ${name}`
    if (typeof enabled !== 'boolean') return `invalid value of ${name}=${String(enabled)}, it must be true or false`
    const spec = specs.get(name)
    if (spec === undefined) {
      const compatible = `1.${minor(this.emulatedVersion) - 1}`
      return `cannot set feature gate ${name} to ${enabled}, feature is PreAlpha at emulated version ${this.emulatedVersion}, min compatibility version ${compatible}`
    }
    if (spec.locked === true && enabled !== spec.default) {
      return `cannot set feature gate ${name} to ${enabled}, feature is locked to ${spec.default}`
    }
    this.#states.set(name, { name: name as FeatureName, stage: spec.stage, enabled })
    return undefined
  }
}

/**
 * Reads overrides as a command line has them, `Name=true,Other=false`. Throws a TypeError with upstream's
 * text for what cannot be read.
 */
export function parseFeatureGates(text: string): Record<string, boolean> {
  const overrides: Record<string, boolean> = {}
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const name = (at < 0 ? part : part.slice(0, at)).trim()
    if (at < 0) throw new TypeError(`missing bool value for ${name}`)
    const value = part.slice(at + 1).trim()
    if (/^(1|t|T|TRUE|true|True)$/.test(value)) overrides[name] = true
    else if (/^(0|f|F|FALSE|false|False)$/.test(value)) overrides[name] = false
    else {
      const why = `strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`
      throw new TypeError(`invalid value of ${name}=${value}, err: ${why}`)
    }
  }
  return overrides
}

function checkVersion(version: string): EmulatedVersion {
  const known = emulatedVersions.find((one) => one === version)
  if (known !== undefined) return known
  const [oldest, newest] = [emulatedVersions[0], emulatedVersions.at(-1)!]
  throw new TypeError(`emulation version ${version} is not between [${oldest}, ${newest}]`)
}

function minor(version: string): number {
  return Number(version.slice(version.indexOf('.') + 1))
}
