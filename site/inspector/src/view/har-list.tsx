import type { VNode } from 'preact'
import type { HarInspection } from '../inspect/inspection.ts'
import { VisibleText } from './visible-text.tsx'

/** Options of {@link HarList}. */
export interface HarListProps {
  readonly har: HarInspection
  readonly filter: string
  readonly onFilter: (filter: string) => void
  readonly onChoose: (index: number) => void
}

/** The requests of a HAR, to choose one of. */
export function HarList({ har, filter, onFilter, onChoose }: HarListProps): VNode {
  const { total, found, list } = har
  const left = found - list.length
  return (
    <section aria-labelledby="har-title">
      <h2 id="har-title" tabIndex={-1}>
        Choose a request
      </h2>
      <div class="field">
        <label for="har-filter">Filter by method, URL or status</label>
        <input
          id="har-filter"
          type="search"
          value={filter}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onFilter(currentTarget.value)}
        />
      </div>
      <p class="hint">
        {found} of {total} requests, the refused and signed ones first.
        {left > 0 && ` ${left} more are not listed; filter to find them.`}
      </p>
      <ul class="har">
        {list.map(({ index, method, url, status, isSigned }) => (
          <li key={index}>
            <button type="button" onClick={() => onChoose(index)}>
              <span class="status">{status > 0 ? status : '–'}</span>
              <span class="method">
                <VisibleText text={method} atMost={1} />
              </span>
              <VisibleText text={url} atMost={3} />
              {isSigned && <span class="badge">signed</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
