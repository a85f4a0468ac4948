import type { VNode } from 'preact'
import type { ShownLine } from '../inspect/inspection.ts'
import { sidesOf, VisibleText } from './visible-text.tsx'

/** A step of the signature, line by line. */
export function StepTable({
  title,
  lines,
}: {
  readonly title: string
  readonly lines: readonly ShownLine[]
}): VNode {
  const differing = lines.filter(({ theirs }) => theirs !== undefined).length
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
          <col class="col-clause" />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Text</th>
            <th scope="col">Clause</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => (
            <Row key={`${index}-${line.line}`} {...line} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ name, text, theirs, hint, clause }: ShownLine): VNode {
  const differs = theirs !== undefined
  const sides = differs ? sidesOf(text, theirs) : undefined
  return (
    <tr class={differs ? 'differs' : undefined}>
      <th scope="row">
        {name}
        {differs && <strong class="badge">differs</strong>}
      </th>
      <td>
        {sides ? (
          <dl class="sides">
            <div>
              <dt>signed</dt>
              <dd>{sides.ours}</dd>
            </div>
            <div>
              <dt>server</dt>
              <dd>{sides.theirs}</dd>
            </div>
          </dl>
        ) : (
          <LineText text={text} />
        )}
        {hint !== undefined && hint !== '' && <p class="hint">{hint}</p>}
      </td>
      <td class="clause">
        {clause !== '' && (
          <a href={clause} target="_blank" rel="noreferrer noopener">
            AWS<span class="visually-hidden">: the clause of {name}, in a new tab</span>
          </a>
        )}
      </td>
    </tr>
  )
}

function LineText({ text }: { readonly text: string }): VNode {
  return text === '' ? <em class="empty">empty line</em> : <VisibleText text={text} />
}
