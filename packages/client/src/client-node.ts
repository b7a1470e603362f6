export { freshReadHttpLibrary, makeApi, makeKubeClient } from './adapters/client-node.ts'
