import type { VNode } from 'preact'
import type { ShownLine } from '../inspect/inspection.ts'
import { useRows } from './more-rows.tsx'
import { sidesOf, VisibleText } from './visible-text.tsx'

/** The most comparisons of characters in all lines of a table, and in one of them. */
const maxComparisons = 1_500_000
const maxOfLine = 90_000

/** A step of the signature, line by line. */
export function StepTable({
  title,
  lines,
}: {
  readonly title: string
  readonly lines: readonly ShownLine[]
}): VNode {
  const differing = lines.filter(({ theirs }) => theirs !== undefined).length
  const { rows, more } = useRows(lines, ({ theirs }) => theirs !== undefined)
  const ofEach = Math.min(maxOfLine, Math.floor(maxComparisons / Math.max(differing, 1)))
  const hasClauses = lines.some(({ clause }) => clause !== '')
  const id = `step-${title.toLowerCase().replaceAll(' ', '-')}`
  return (
    <section class="step" aria-labelledby={id}>
      <h3 id={id}>
        {title}
        {differing > 0 && (
          <span class="count">
            {differing} {differing === 1 ? 'line differs' : 'lines differ'}
          </span>
        )}
      </h3>
      <table>
        <colgroup>
          <col class="col-name" />
          <col />
          {hasClauses && <col class="col-clause" />}
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Text</th>
            {hasClauses && <th scope="col">Document</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((line, index) => (
            <Row
              key={`${index}-${line.line}`}
              line={line}
              hasClauses={hasClauses}
              maxComparisons={ofEach}
            />
          ))}
        </tbody>
      </table>
      {more}
    </section>
  )
}

interface RowProps {
  readonly line: ShownLine
  readonly hasClauses: boolean
  readonly maxComparisons: number
}

function Row({ line, hasClauses, maxComparisons: atMost }: RowProps): VNode {
  const { name, text, theirs, hint, clause } = line
  const differs = theirs !== undefined
  const sides = differs ? sidesOf(text, theirs, atMost) : undefined
  return (
    <tr class={differs ? 'differs' : undefined}>
      <th scope="row">
        <VisibleText text={name} kind="prose" />
        {differs && <strong class="badge">differs</strong>}
      </th>
      <td>
        {sides ? (
          <dl class="sides">
            <div>
              <dt>signed</dt>
              <dd class={lengthOf(text)}>{sides.ours}</dd>
            </div>
            <div>
              <dt>server</dt>
              <dd class={lengthOf(theirs)}>{sides.theirs}</dd>
            </div>
          </dl>
        ) : (
          <LineText text={text} />
        )}
        {hint !== undefined && hint !== '' && (
          <p class="hint">
            <VisibleText text={hint} kind="prose" />
          </p>
        )}
      </td>
      {hasClauses && (
        <td class="clause">{clause !== '' && <ClauseLink url={clause} of={name} />}</td>
      )}
    </tr>
  )
}

/** The link to the place in AWS's documents. */
export function ClauseLink({ url, of }: { readonly url: string; readonly of: string }): VNode {
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      AWS docs<span class="visually-hidden"> on {of}, in a new tab</span>
    </a>
  )
}

function LineText({ text }: { readonly text: string }): VNode {
  if (text === '') return <em class="empty">empty line</em>
  return (
    <div class={lengthOf(text)}>
      <VisibleText text={text} />
    </div>
  )
}

/** Marks a text whose layout takes long, so that the browser puts it off until it is scrolled to. */
function lengthOf(text = ''): 'long' | undefined {
  return text.length > 500 ? 'long' : undefined
}
