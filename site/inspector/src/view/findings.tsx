import type { VNode } from 'preact'
import type { Finding } from '../inspect/inspection.ts'
import { VisibleText } from './visible-text.tsx'

const outcomes = {
  right: { mark: '✓', label: 'Right' },
  wrong: { mark: '✗', label: 'Wrong' },
  open: { mark: '?', label: 'Open' },
} as const

/** The findings, the weightiest first. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }): VNode {
  return (
    <div class="findings">
      {findings.map(({ outcome, verdict, title, meaning, remarks }) => (
        <section key={title} class={`finding ${outcome}`} data-verdict={verdict}>
          <h3>
            <span class="mark" aria-hidden="true">
              {outcomes[outcome].mark}
            </span>
            <span class="visually-hidden">{outcomes[outcome].label}: </span>
            {title}
          </h3>
          {meaning !== '' && (
            <p>
              <VisibleText text={meaning} kind="prose" />
            </p>
          )}
          {remarks.length > 0 && (
            <ul>
              {remarks.map((remark) => (
                <li key={remark}>
                  <VisibleText text={remark} kind="prose" />
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </div>
  )
}
