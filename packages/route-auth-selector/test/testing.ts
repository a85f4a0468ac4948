/**
 * The inside of the package, for what is pure and worth testing alone. Only this file reaches below the
 * entries, and it is not published.
 */
export { foldCase, parsePath, readPath } from '../src/routes.ts'
