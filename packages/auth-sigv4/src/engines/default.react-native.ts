export { nobleEngine as defaultEngine } from './noble.ts'
