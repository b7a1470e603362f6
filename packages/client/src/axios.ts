export { attachFreshRead } from './adapters/axios.ts'
export { triesOf } from './exchange.ts'
export type { RequestOptions, SessionOptions } from './options.ts'
export { FreshReadSession } from './session.ts'
