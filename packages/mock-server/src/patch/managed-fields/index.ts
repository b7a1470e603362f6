export { applyServerSide, updateManagedFields, type ManagedResource, type WriteContext } from './field-manager.ts'
export { fromScaleManagers, toScaleManagers, type ReplicasPaths } from './scale.ts'
