import type { KubeObject } from '@freshread/core'
import { eventFromStorage, eventToStorage } from './conversion/event.ts'
import { autoscalerFromV2, autoscalerToV2 } from './conversion/horizontal-pod-autoscaler.ts'

/** How objects pass between the version that a request speaks and the one that is stored. Inputs are not changed. */
export interface Conversion {
  readonly fromStorage: (object: KubeObject) => KubeObject
  readonly toStorage: (object: KubeObject) => KubeObject
}

const identity: Conversion = { fromStorage: (object) => object, toStorage: (object) => object }

/** Conversions that are more than another apiVersion, by storage key and version. */
const conversions: Readonly<Record<string, Conversion>> = {
  '/events events.k8s.io/v1': { fromStorage: eventFromStorage, toStorage: eventToStorage },
  'autoscaling/horizontalpodautoscalers autoscaling/v1': { fromStorage: autoscalerFromV2, toStorage: autoscalerToV2 },
}

/** The conversion between `apiVersion` and `storageApiVersion` of the objects under `storageKey`. */
export function conversionFor(storageKey: string, apiVersion: string, storageApiVersion: string): Conversion {
  if (apiVersion === storageApiVersion) return identity
  return (
    conversions[`${storageKey} ${apiVersion}`] ?? {
      fromStorage: (object) => ({ ...object, apiVersion }),
      toStorage: (object) => ({ ...object, apiVersion: storageApiVersion }),
    }
  )
}
