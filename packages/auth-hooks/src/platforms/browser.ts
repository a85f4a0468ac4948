// Pages, which are never shown where a redirect leads.
export * from './without-node.ts'
export { followRedirect } from '../kernel/redirect.browser.ts'
