import type { VNode } from 'preact'
import type { SharedExplanation, SharedLine } from '../share/shared-explanation.ts'
import { StepTable } from './step-table.tsx'

/** The content of a shared link. */
export function SharedContent({ shared }: { readonly shared: SharedExplanation }): VNode {
  return (
    <div class="shared">
      {shared.findings.length > 0 && <p class="claims">The link claims:</p>}
      <ul>
        {shared.findings.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
      <StepTable title="Shared canonical request" lines={shared.canonicalRequest.map(shownLine)} />
      <StepTable title="Shared string to sign" lines={shared.stringToSign.map(shownLine)} />
    </div>
  )
}

function shownLine({ line, text, theirs }: SharedLine): {
  name: string
  line: string
  text: string
  clause: string
  theirs?: string
} {
  const shown = { name: line === '' ? 'end of the headers' : line, line, text, clause: '' }
  return theirs === undefined ? shown : { ...shown, theirs }
}
