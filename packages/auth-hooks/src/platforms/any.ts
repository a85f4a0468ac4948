// Workers and other runtimes without Node's modules.
export * from './without-node.ts'
export { followRedirect } from '../kernel/redirect.ts'
