import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RequestInspection } from '../inspect/inspection.ts'
import { writeFragment } from '../share/fragment.ts'
import { shareable } from '../share/shared-explanation.ts'
import { SharedContent } from './shared-content.tsx'

/** Shows all that a link would hold, and copies the link once the person has seen it. */
export function SharePanel({ result }: { readonly result: RequestInspection }): VNode {
  const [isOpen, setOpen] = useState(false)
  const [message, setMessage] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const isClosed = useRef(false)
  const shared = shareable(result)
  const link = `${location.href.replace(/#.*$/s, '')}${writeFragment(shared)}`
  // At once, so that a keyboard is never anywhere else.
  useLayoutEffect(() => {
    if (isOpen) {
      heading.current?.focus({ preventScroll: true })
      heading.current?.scrollIntoView()
    } else if (isClosed.current) opener.current?.focus()
    isClosed.current = false
  }, [isOpen])
  // Another request is another link.
  useEffect(() => {
    setOpen(false)
    setMessage('')
  }, [result])
  const copy = (): void => {
    navigator.clipboard.writeText(link).then(
      () => setMessage('The link is copied.'),
      () => setMessage('The browser does not allow copying; copy the link from the field.'),
    )
  }
  return (
    <section class="share" aria-labelledby="share-title">
      {isOpen ? (
        <>
          <h3 id="share-title" ref={heading} tabIndex={-1}>
            This is all that the link holds
          </h3>
          <SharedContent shared={shared} />
          <div class="field">
            <label for="share-link">Link</label>
            <input
              id="share-link"
              readOnly
              value={link}
              onFocus={(event) => event.currentTarget.select()}
            />
          </div>
          <p>
            <button type="button" class="primary" onClick={copy}>
              Copy the link
            </button>{' '}
            <button
              type="button"
              onClick={() => {
                isClosed.current = true
                setOpen(false)
              }}
            >
              Close
            </button>
          </p>
          <p role="status">{message}</p>
        </>
      ) : (
        <>
          <h3 id="share-title">Show it to somebody</h3>
          <p class="hint">
            A link holds the lines without secret values, bodies and signatures. You see all of it
            before it is copied.
          </p>
          <button type="button" ref={opener} onClick={() => setOpen(true)}>
            Copy a link…
          </button>
        </>
      )}
    </section>
  )
}
