import type { VNode } from 'preact'
import type { Finding } from '../inspect/inspection.ts'
import { VisibleText } from './visible-text.tsx'

/** The marks of the outcomes. */
export const marks = { right: '✓', wrong: '✗', open: '?' } as const

const labels = { right: 'Right', wrong: 'Wrong', open: 'Undecided' } as const

/** The findings, the weightiest first. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }): VNode {
  return (
    <div class="findings">
      {findings.map(({ outcome, verdict, title, meaning, remarks }) => (
        <section key={title} class={`finding ${outcome}`} data-verdict={verdict}>
          <h3>
            <span class="mark" aria-hidden="true">
              {marks[outcome]}
            </span>
            <span class="visually-hidden">{labels[outcome]}: </span>
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
