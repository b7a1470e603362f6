import { CelList, equal, noSuchOverload } from '../values.ts'
import { declare, type FunctionDecl } from './declare.ts'
import { findFunctions } from './find.ts'
import { formatFunctions } from './format.ts'
import { listFunctions } from './list.ts'
import { networkFunctions } from './network.ts'
import { quantityFunctions } from './quantity.ts'
import { semverFunctions } from './semver.ts'
import { urlFunctions } from './url.ts'

/** Functions that Kubernetes adds to CEL (`apiserver: pkg/cel/library`). */
export const kubernetesFunctions: readonly FunctionDecl[] = [
  ...listFunctions,
  ...findFunctions,
  ...urlFunctions,
  ...quantityFunctions,
  ...networkFunctions,
  ...formatFunctions,
  ...semverFunctions,
]

/** Functions that only expressions which have been stored already may use: older servers do not know them. */
export const newestFunctions: readonly FunctionDecl[] = [
  declare('includes', 'list_includes_dyn_dyn dyn.(dyn) bool', ([values, wanted]) => {
    if (!(values instanceof CelList)) return noSuchOverload
    for (const value of values) if (equal(value, wanted!) === true) return true
    return false
  }),
]
