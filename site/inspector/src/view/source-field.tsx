import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { type LargeText, largestShown, sizeText } from './state.ts'

/** Options of {@link SourceField}. */
export interface SourceFieldProps {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly text: string
  readonly rows: number
  readonly large?: LargeText | undefined
  /** `true` if the text holds secrets, which then are covered while the person is elsewhere. */
  readonly holdsSecrets: boolean
  readonly error?: string | undefined
  readonly onText: (text: string) => void
  readonly onLarge?: (large: LargeText | undefined) => void
}

/**
 * A text area for what is pasted, dropped or opened as a file. What is too long for it is kept beside it, since a
 * text area of megabytes freezes the page.
 */
export function SourceField(props: SourceFieldProps): VNode {
  const { id, label, hint, text, rows, large, holdsSecrets, error, onText, onLarge } = props
  const [isFocused, setFocused] = useState(false)
  const [isUncovered, setUncovered] = useState(false)
  const isCovered = holdsSecrets && !isFocused && !isUncovered && text !== ''

  const take = (data: DataTransfer | null, event: Event): void => {
    const [file] = data?.files ?? []
    const pasted = file ? '' : (data?.getData('text/plain') ?? '')
    if (!file && pasted.length <= largestShown) return
    event.preventDefault()
    onLarge?.(
      file
        ? { name: file.name, size: file.size, source: file }
        : { name: 'Pasted text', size: pasted.length, source: pasted },
    )
  }
  const describedBy = `${id}-hint${error === undefined ? '' : ` ${id}-error`}`
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        {holdsSecrets && text !== '' && (
          <button
            type="button"
            class="quiet"
            aria-pressed={isUncovered}
            onClick={() => setUncovered(!isUncovered)}
          >
            {isUncovered ? 'Cover' : 'Keep uncovered'}
          </button>
        )}
      </div>
      {large ? (
        <p class="large">
          <span>
            {large.name}, {sizeText(large.size)}
          </span>
          <button type="button" onClick={() => onLarge?.(undefined)}>
            Remove
          </button>
        </p>
      ) : (
        <textarea
          id={id}
          rows={rows}
          value={text}
          class={isCovered ? 'covered' : undefined}
          autocomplete="off"
          autocapitalize="off"
          autocorrect="off"
          spellcheck={false}
          translate={false}
          wrap="soft"
          aria-describedby={describedBy}
          aria-invalid={error === undefined ? undefined : true}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onPaste={(event) => take(event.clipboardData, event)}
          onDrop={(event) => take(event.dataTransfer, event)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        />
      )}
      <p class="hint" id={`${id}-hint`}>
        {isCovered ? 'It holds secrets, so it is covered until you go back to it.' : hint}
      </p>
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          <span aria-hidden="true">✗ </span>
          {error}
        </p>
      )}
    </div>
  )
}
