export { FakeClock } from './testing/fake-clock.ts'
