import type { VNode } from 'preact'
import type { ShownRow } from '../inspect/inspection.ts'
import { useRows } from './more-rows.tsx'
import { VisibleText } from './visible-text.tsx'

/** A table of names, values and meanings. */
export function RowTable({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly ShownRow[]
}): VNode {
  const { rows: shown, more } = useRows(rows)
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
          {shown.map(({ name, value, meaning }, index) => (
            <tr key={`${index}-${name}`}>
              <th scope="row">
                <VisibleText text={name} atMost={4} />
              </th>
              <td>
                {value === '' ? <em class="empty">empty</em> : <VisibleText text={value} />}
                {meaning !== '' && (
                  <p class="hint">
                    <VisibleText text={meaning} kind="prose" />
                  </p>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </section>
  )
}
