import { describe, expect, it } from 'vitest'
import { FeatureGates, parseFeatureGates } from './feature-gates.ts'
import { knownFeatures, type FeatureName } from './known-features.ts'

describe('FeatureGates', () => {
  it.each<[FeatureName, boolean, boolean, boolean, boolean]>([
    ['WatchList', true, true, true, true],
    ['ListFromCacheSnapshot', true, true, true, true],
    ['ConsistentListFromCacheSkipTimeoutFallback', false, false, false, false],
    ['DetectCacheInconsistency', true, true, true, true],
    ['EtcdRangeStream', false, false, false, true],
    ['WatchListCompression', false, false, false, true],
    ['AllowUnsafeMalformedObjectDeletion', false, false, false, true],
    ['WatchCacheInitializationPostStartHook', false, false, true, true],
    ['WatchListClient', false, true, true, true],
    ['ShardedListAndWatch', false, false, false, false],
    ['SeparateCacheWatchRPC', false, false, false, false],
  ])('has %s at 1.34 %s, 1.35 %s, 1.36 %s, 1.37 %s', (name, ...expected) => {
    const versions = ['1.34', '1.35', '1.36', '1.37']
    expect(versions.map((emulatedVersion) => new FeatureGates({ emulatedVersion }).enabled(name))).toEqual(expected)
  })

  it('emulates the newest version by default', () => {
    expect(new FeatureGates().emulatedVersion).toBe('1.37')
  })

  it('can be told otherwise', () => {
    const gates = new FeatureGates({ overrides: { WatchList: false, ShardedListAndWatch: true } })
    expect([gates.enabled('WatchList'), gates.enabled('ShardedListAndWatch')]).toEqual([false, true])
    expect(gates.list().find(({ name }) => name === 'WatchList')).toEqual({
      name: 'WatchList',
      stage: 'BETA',
      enabled: false,
    })
  })

  it.each([
    [{ overrides: { Nonsense: true } }, 'unrecognized feature gate: Nonsense'],
    [{ overrides: { constructor: true } }, 'unrecognized feature gate: constructor'],
    [
      { overrides: { WatchCacheInitializationPostStartHook: false } },
      'cannot set feature gate WatchCacheInitializationPostStartHook to false, feature is locked to true',
    ],
    [
      { overrides: { SeparateCacheWatchRPC: true } },
      'cannot set feature gate SeparateCacheWatchRPC to true, feature is locked to false',
    ],
    [
      { emulatedVersion: '1.36', overrides: { ConsistentListFromCacheSkipTimeoutFallback: true } },
      'cannot set feature gate ConsistentListFromCacheSkipTimeoutFallback to true, feature is PreAlpha at emulated version 1.36, min compatibility version 1.35',
    ],
    [{ emulatedVersion: '1.33' }, 'emulation version 1.33 is not between [1.34, 1.37]'],
    [{ emulatedVersion: 'x' }, 'emulation version x is not between [1.34, 1.37]'],
    [
      { overrides: { SeparateCacheWatchRPC: true, Nonsense: true } },
      '[cannot set feature gate SeparateCacheWatchRPC to true, feature is locked to false, unrecognized feature gate: Nonsense]',
    ],
  ])('refuses %o', (options, message) => {
    expect(() => new FeatureGates(options)).toThrow(new TypeError(message))
  })

  it('lets a locked feature be set to what it is', () => {
    const gates = new FeatureGates({ overrides: { WatchCacheInitializationPostStartHook: true } })
    expect(gates.enabled('WatchCacheInitializationPostStartHook')).toBe(true)
  })

  it('refuses a value that is not boolean', () => {
    const overrides = { WatchList: 'yes' } as unknown as Record<string, boolean>
    expect(() => new FeatureGates({ overrides })).toThrow('invalid value of WatchList=yes')
  })

  it('knows each feature by versions that grow', () => {
    for (const versions of Object.values(knownFeatures)) {
      const minors = versions.map(({ version }) => Number(version.split('.')[1]))
      expect(minors).toEqual(minors.toSorted((a, b) => a - b))
    }
  })
})

describe('parseFeatureGates', () => {
  it('reads a list', () => {
    expect(parseFeatureGates(' A=true,B=F,, C=0 ')).toEqual({ A: true, B: false, C: false })
    expect(parseFeatureGates('')).toEqual({})
  })

  it.each([
    ['A', 'missing bool value for A'],
    ['A=true,B', 'missing bool value for B'],
    ['A=yes', 'invalid value of A=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFeatureGates(text)).toThrow(new TypeError(message))
  })
})
