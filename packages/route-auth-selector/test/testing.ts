/**
 * The pure functions of the package that are worth testing alone. Only this file reaches below the
 * entries, and it is not published.
 */
export { foldCase, readPathOption } from '../src/routes.ts'
