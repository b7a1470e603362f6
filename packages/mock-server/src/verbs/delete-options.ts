import { invalid, newBadRequest, newInvalid, notSupported, parseInt64, type FieldError } from '@freshread/core'
import { DecodeError, parseBody } from '../api/decode-body.ts'
import { firstValue, queryBoolean, type Query } from '../api/query.ts'
import { decodeGoType } from '../resources/decode/decode-object.ts'
import type { RequestScope } from './scope.ts'
import { validateDryRun } from './write-options.ts'

/** How to delete (`apimachinery: meta/v1: DeleteOptions`). A deletion's own copy: kinds set the grace period in it. */
export interface DeleteOptions {
  gracePeriodSeconds: number | undefined
  preconditions: { uid?: string | undefined; resourceVersion?: string | undefined } | undefined
  readonly orphanDependents: boolean | undefined
  readonly propagationPolicy: string | undefined
  readonly dryRun: boolean
  readonly ignoreStoreReadError: boolean
}

/** Options that delete at once, whatever the kind. */
export function plainDeleteOptions(dryRun: boolean): DeleteOptions {
  return {
    gracePeriodSeconds: undefined,
    preconditions: undefined,
    orphanDependents: undefined,
    propagationPolicy: undefined,
    dryRun,
    ignoreStoreReadError: false,
  }
}

interface WireDeleteOptions {
  readonly gracePeriodSeconds?: number | null
  readonly preconditions?: { readonly uid?: string | null; readonly resourceVersion?: string | null } | null
  readonly orphanDependents?: boolean | null
  readonly propagationPolicy?: string | null
  readonly dryRun?: readonly string[] | null
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | null
}

const TYPE = 'apimachinery.pkg.apis.meta.v1.DeleteOptions'

/**
 * Reads the options of a delete from its body, or from the query where there is none
 * (`pkg/endpoints/handlers/delete.go`). Throws the 400 or 422 that wrong ones get.
 */
export function deleteOptions(scope: RequestScope): DeleteOptions {
  const wire = (scope.request.body?.length ?? 0) > 0 ? fromBody(scope) : fromQuery(scope)
  const dryRun = wire.dryRun ?? []
  const options: DeleteOptions = {
    gracePeriodSeconds: wire.gracePeriodSeconds ?? undefined,
    preconditions:
      wire.preconditions == null
        ? undefined
        : {
            uid: wire.preconditions.uid ?? undefined,
            resourceVersion: wire.preconditions.resourceVersion ?? undefined,
          },
    orphanDependents: wire.orphanDependents ?? undefined,
    propagationPolicy: wire.propagationPolicy ?? undefined,
    dryRun: dryRun.length > 0,
    ignoreStoreReadError: wire.ignoreStoreReadErrorWithClusterBreakingPotential === true,
  }
  const errors = [...validateDeleteOptions(options), ...validateDryRun(dryRun), ...validateIgnoreReadError(options)]
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  return options
}

function fromBody(scope: RequestScope): WireDeleteOptions {
  try {
    const { value, gvk } = parseBody(scope.request, false)
    const group = gvk.group === '' && gvk.version === '' ? 'meta.k8s.io' : gvk.group
    const kind = gvk.kind === '' ? 'DeleteOptions' : gvk.kind
    if (kind !== 'DeleteOptions') {
      const apiVersion = gvk.version === '' ? 'meta.k8s.io/v1' : group === '' ? gvk.version : `${group}/${gvk.version}`
      throw newBadRequest(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
      )
    }
    const { object, error } = decodeGoType<WireDeleteOptions>(value ?? {}, TYPE, { mode: 'Ignore' })
    if (error !== undefined) throw newBadRequest(error)
    return object
  } catch (error) {
    if (error instanceof DecodeError) throw newBadRequest(error.message)
    throw error
  }
}

function fromQuery({ query }: RequestScope): WireDeleteOptions {
  return {
    gracePeriodSeconds: integer(firstValue(query, 'gracePeriodSeconds')),
    orphanDependents: queryBoolean(query, 'orphanDependents') ?? null,
    propagationPolicy: firstValue(query, 'propagationPolicy') ?? null,
    preconditions: preconditionsOf(query),
    dryRun: query.get('dryRun') ?? null,
    ignoreStoreReadErrorWithClusterBreakingPotential:
      queryBoolean(query, 'ignoreStoreReadErrorWithClusterBreakingPotential') ?? null,
  }
}

/** What the object must be, by the query; a collection's `resourceVersion` counts for each of its objects too. */
function preconditionsOf(query: Query): NonNullable<WireDeleteOptions['preconditions']> | null {
  const uid = firstValue(query, 'uid') || null
  const resourceVersion = firstValue(query, 'resourceVersion') || null
  return uid === null && resourceVersion === null ? null : { uid, resourceVersion }
}

function integer(value: string | undefined): number | null {
  if (value === undefined) return null
  try {
    return Number(parseInt64(value))
  } catch (error) {
    throw newBadRequest((error as Error).message)
  }
}

const POLICIES: ReadonlySet<string> = new Set(['Foreground', 'Background', 'Orphan'])

function validateDeleteOptions({ orphanDependents, propagationPolicy: policy }: DeleteOptions): FieldError[] {
  const errors: FieldError[] = []
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !POLICIES.has(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']))
  }
  return errors
}

function validateIgnoreReadError(options: DeleteOptions): FieldError[] {
  if (!options.ignoreStoreReadError) return []
  const others = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions'] as const
  return others
    .filter((name) => options[name] !== undefined)
    .map((name) =>
      invalid('ignoreStoreReadErrorWithClusterBreakingPotential', true, `cannot be set together with .${name}`),
    )
}
