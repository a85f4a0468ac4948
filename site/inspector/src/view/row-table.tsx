import type { VNode } from 'preact'
import type { ShownRow } from '../inspect/inspection.ts'
import { VisibleText } from './visible-text.tsx'

/** A table of names, values and meanings. */
export function RowTable({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly ShownRow[]
}): VNode {
  const id = `rows-${title.toLowerCase().replaceAll(/\W+/g, '-')}`
  return (
    <section class="step" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <table>
        <colgroup>
          <col class="col-name" />
          <col />
        </colgroup>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value and meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value, meaning }, index) => (
            <tr key={`${index}-${name}`}>
              <th scope="row">
                <VisibleText text={name} />
              </th>
              <td>
                {value === '' ? <em class="empty">empty</em> : <VisibleText text={value} />}
                {meaning !== '' && <p class="hint">{meaning}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
