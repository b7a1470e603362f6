/** What `/version` tells (`apimachinery: pkg/version: Info`). */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor: string
  readonly emulationMinor: string
  readonly minCompatibilityMajor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/**
 * The version of the API server that is played.
 *
 * @param emulation `1.37`: the version whose behaviour is emulated
 */
export function versionInfo(emulation = '1.37'): VersionInfo {
  const [emulationMajor = '1', emulationMinor = '37'] = emulation.split('.')
  return {
    major: '1',
    minor: '37',
    emulationMajor,
    emulationMinor,
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '36',
    gitVersion: 'v1.37.2',
    gitCommit: '$Format:%H$',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.26.8',
    compiler: 'gc',
    platform: 'linux/amd64',
  }
}
