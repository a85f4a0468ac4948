// Pages, which are never shown where a redirect leads.
export * from './without-node.ts'
export { refuseRedirect as followRedirect } from '../kernel/refuse-redirect.ts'
