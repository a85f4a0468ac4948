import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { stepClauses } from '@svc/auth-sigv4/inspect'
import type { RequestInspection, TokenInspection } from '../inspect/inspection.ts'
import { Findings } from './findings.tsx'
import { RowTable } from './row-table.tsx'
import { SharePanel } from './share-panel.tsx'
import { ClauseLink, StepTable } from './step-table.tsx'
import { VisibleText } from './visible-text.tsx'

/** A request that was taken apart. */
export function RequestResult({ result }: { readonly result: RequestInspection }): VNode {
  const { method, url, findings, facts, parameters, steps, otherLines, notes } = result
  return (
    <>
      <p class="request-line">
        <strong>
          <VisibleText text={method} />
        </strong>{' '}
        <VisibleText text={url} />
      </p>
      <Findings findings={findings} />
      {otherLines.length > 0 && <StepTable title="What differs besides" lines={otherLines} />}
      {parameters.length > 0 && (
        <RowTable title="The presigned URL, taken apart" rows={parameters} />
      )}
      {steps.map(({ title, lines }) => (
        <StepTable key={title} title={title} lines={lines} />
      ))}
      <Signature {...result.signature} />
      <RowTable title="Read from the signature" rows={facts} />
      <Notes notes={notes} />
      <SharePanel result={result} />
    </>
  )
}

/** A token that was taken apart. */
export function TokenResult({ result }: { readonly result: TokenInspection }): VNode {
  return (
    <>
      <Findings findings={result.findings} />
      <RowTable title="Header" rows={result.header} />
      <RowTable title="Claims" rows={result.claims} />
      <RowTable title="Lifetime, by the rule of auth-token" rows={result.lifetime} />
      <p class="hint">
        The rule is <code>tokenLifetime</code> of @svc/auth-token, which runs in this page; see{' '}
        <a
          href="https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4"
          target="_blank"
          rel="noreferrer noopener"
        >
          RFC 7519, section 4.1.4
        </a>
        .
      </p>
      <Notes notes={result.notes} />
    </>
  )
}

function Notes({ notes }: { readonly notes: readonly string[] }): VNode | null {
  if (notes.length === 0) return null
  return (
    <section aria-labelledby="notes-title">
      <h3 id="notes-title">Notes</h3>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>
            <VisibleText text={note} kind="prose" />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The signatures, shortened: whoever has one can use it as long as it is valid. */
function Signature({ borne, computed }: RequestInspection['signature']): VNode {
  const [isShown, setShown] = useState(false)
  const text = (signature: string): VNode =>
    signature === '' ? (
      <em class="empty">not known</em>
    ) : (
      <VisibleText
        text={isShown ? signature : `${signature.slice(0, 8)}… (${signature.length} characters)`}
      />
    )
  return (
    <section class="step" aria-labelledby="signature-title">
      <h3 id="signature-title">Signature</h3>
      <table>
        <colgroup>
          <col class="col-name" />
          <col />
          <col class="col-clause" />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Text</th>
            <th scope="col">Document</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">HMAC-SHA256(signing key, string to sign)</th>
            <td>{text(computed)}</td>
            <td class="clause">
              <ClauseLink url={stepClauses[5]} of="the signature" />
            </td>
          </tr>
          <tr>
            <th scope="row">signature of the request</th>
            <td>{text(borne)}</td>
            <td class="clause">
              <ClauseLink url={stepClauses[6]} of="the place of the signature" />
            </td>
          </tr>
        </tbody>
      </table>
      {(borne !== '' || computed !== '') && (
        <button
          type="button"
          class="quiet"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Shorten the signature' : 'Show the whole signature'}
        </button>
      )}
    </section>
  )
}
