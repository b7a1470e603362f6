export {
  applyServerSide,
  updateManagedFields,
  type ApplyWrite,
  type ManagedResource,
  type UpdateWrite,
  type VersionLookup,
  type WriteContext,
} from './field-manager.ts'
export { fromScaleManagers, toScaleManagers, type ReplicasPaths } from './scale.ts'
