import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isLong, type LargeText, sizeText } from './state.ts'
import { VisibleText } from './visible-text.tsx'

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
  /** Takes a file or a text as it is; without it, each is read into the text. */
  readonly onLarge?: (large: LargeText | undefined) => void
}

/** The most that a field without a place of its own for files takes. */
const largestText = 16 * 1024 * 1024

/**
 * A text area for what is pasted, dropped or opened as a file. What is too long for it is kept beside it, since a
 * text area of megabytes freezes the page.
 */
export function SourceField(props: SourceFieldProps): VNode {
  const { id, label, hint, text, rows, holdsSecrets, onText, onLarge } = props
  const [isFocused, setFocused] = useState(false)
  const [isUncovered, setUncovered] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const [fileName, setFileName] = useState('')
  const name = fileName === '' ? 'Pasted text' : fileName
  const large = props.large ?? (isLong(text) ? { name, size: text.length } : undefined)
  const error = refusal ?? props.error
  const isCovered = holdsSecrets && !isFocused && !isUncovered && text !== '' && !large
  const area = useRef<HTMLTextAreaElement>(null)
  const remover = useRef<HTMLButtonElement>(null)
  const wasFocused = useRef(false)
  const isLarge = large !== undefined
  const isThere = useRef(true)
  useLayoutEffect(
    () => () => {
      isThere.current = false
    },
    [],
  )

  // What has the focus goes when the other takes its place.
  useLayoutEffect(() => {
    if (wasFocused.current) (isLarge ? remover : area).current?.focus()
    wasFocused.current = false
  }, [isLarge])

  const change = (next: string): void => {
    setRefusal(undefined)
    if (isLong(next)) wasFocused.current = area.current === document.activeElement
    onText(next)
  }
  const readInto = (file: File): void => {
    const refuse = (why: string): void => setRefusal(`The file ${why}, so it is not read here.`)
    if (file.size > largestText) {
      refuse('has more than 16 MB')
      return
    }
    const read = async (): Promise<void> => {
      const bytes = await file.arrayBuffer().catch(() => undefined)
      // Everything may have been cleared meanwhile.
      if (!isThere.current) return
      if (!bytes) {
        refuse('cannot be opened')
        return
      }
      try {
        change(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
        setFileName(file.name)
      } catch {
        refuse('is no text in UTF-8')
      }
    }
    void read()
  }
  const take = (data: DataTransfer | null, event: Event): void => {
    const [file] = data?.files ?? []
    const pasted = file ? '' : (data?.getData('text/plain') ?? '')
    if (!file && !isLong(pasted)) return
    event.preventDefault()
    setFileName('')
    if (onLarge) {
      wasFocused.current = true
      onLarge(
        file
          ? { name: file.name, size: file.size, source: file }
          : { name: 'Pasted text', size: pasted.length, source: pasted },
      )
    } else if (file) readInto(file)
    else if (pasted.length > largestText) {
      setRefusal('The text has more than 16 MB, so it is not read here.')
    } else {
      const { selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
      change(text.slice(0, selectionStart) + pasted + text.slice(selectionEnd))
    }
  }
  const remove = (): void => {
    wasFocused.current = true
    setFileName('')
    setRefusal(undefined)
    onText('')
    onLarge?.(undefined)
  }
  const describedBy = `${id}-hint${error === undefined ? '' : ` ${id}-error`}`
  return (
    <div class="field">
      <div class="field-head">
        {large ? <span class="label">{label}</span> : <label for={id}>{label}</label>}
        {holdsSecrets && text !== '' && !large && (
          <button
            type="button"
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
            <VisibleText text={large.name} kind="prose" />, {sizeText(large.size)}
          </span>
          <button type="button" ref={remover} onClick={remove}>
            Remove
            <span class="visually-hidden"> what stands for “{label}”</span>
          </button>
        </p>
      ) : (
        <textarea
          id={id}
          ref={area}
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
          onInput={({ currentTarget }) => change(currentTarget.value)}
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
        <p class="error" id={`${id}-error`} role={refusal === undefined ? undefined : 'alert'}>
          <span aria-hidden="true">✗ </span>
          {error}
        </p>
      )}
    </div>
  )
}
