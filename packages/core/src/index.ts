export { delay, systemClock, type Clock, type TimerHandle } from './clock.ts'

export * from './errors/api-errors.ts'
export * from './errors/field-error.ts'
export * from './errors/go-text.ts'
export * from './errors/guards.ts'
export * from './errors/interpret.ts'
export * from './errors/status.ts'
export * from './errors/storage-error.ts'

export * from './meta/types.ts'
