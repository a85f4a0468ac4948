import type { VNode } from 'preact'
import type { Finding, Inspection } from '../inspect/inspection.ts'
import { RequestResult, TokenResult } from './request-result.tsx'

/** What is shown of an inspection that needs no field of its own. */
export function ResultView({ result }: { readonly result: Inspection }): VNode | null {
  switch (result.type) {
    case 'failed':
      return (
        <div class="finding wrong">
          <h3>
            <span class="mark" aria-hidden="true">
              ✗
            </span>
            {unreadable}
          </h3>
          <p>{result.message}</p>
        </div>
      )
    case 'request':
      return <RequestResult result={result} />
    case 'token':
      return <TokenResult result={result} />
    default:
      return null
  }
}

const unreadable = 'This cannot be read'

/** Returns the finding that weighs most. */
export function verdictOf(result: Inspection): Pick<Finding, 'outcome' | 'title'> | undefined {
  if (result.type === 'failed') return { outcome: 'wrong', title: unreadable }
  return 'findings' in result ? result.findings[0] : undefined
}

/** Writes the result for the live region. */
export function announcementOf(inspection: Inspection): string {
  switch (inspection.type) {
    case 'empty':
      return ''
    case 'failed':
      return inspection.message
    case 'har':
      return `${inspection.found} requests to choose from.`
    default:
      return inspection.findings.map(({ title }) => `${title}.`).join(' ')
  }
}
