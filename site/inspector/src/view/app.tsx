import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Inspection } from '../inspect/inspection.ts'
import { createInspector } from '../inspect/inspector.ts'
import { isSharedFragment, readFragment } from '../share/fragment.ts'
import { examples } from './examples.ts'
import { HarList } from './har-list.tsx'
import { KeyFields } from './key-fields.tsx'
import { RequestInput } from './request-input.tsx'
import { RequestResult, TokenResult } from './request-result.tsx'
import { SharedContent } from './shared-content.tsx'
import { SourceField } from './source-field.tsx'
import { type Entered, largestShown, nothingEntered } from './state.ts'

/** The pause of a person who types, after which it is inspected. */
const pauseMs = 100

/** The page. */
export function App(): VNode {
  const [entered, setEntered] = useState<Entered>(nothingEntered)
  const [result, setResult] = useState<Inspection>({ type: 'empty' })
  const [announcement, setAnnouncement] = useState('')
  const [fragment, setFragment] = useState(location.hash)
  const inspector = useRef<ReturnType<typeof createInspector>>(null)

  useEffect(() => {
    const read = (): void => setFragment(location.hash)
    addEventListener('hashchange', read)
    return () => {
      removeEventListener('hashchange', read)
      inspector.current?.close()
    }
  }, [])

  useEffect(() => {
    const { text, large, ...task } = entered
    inspector.current ??= createInspector()
    const current = inspector.current
    const timer = setTimeout(() => {
      if (entered === nothingEntered) return
      current.setSource(large?.source ?? text)
      current.inspect({ ...task, now: Date.now() }, (inspection) => {
        setResult(inspection)
        setAnnouncement(announcementOf(inspection))
      })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [entered])

  const change = (part: Partial<Entered>): void => setEntered((before) => ({ ...before, ...part }))
  const clear = (): void => {
    inspector.current?.close()
    setEntered(nothingEntered)
    setResult({ type: 'empty' })
    setAnnouncement('Everything is cleared.')
    if (isSharedFragment(location.hash)) history.replaceState(null, '', location.pathname)
    setFragment('')
    document.getElementById('source')?.focus()
  }
  const failed = result.type === 'failed' ? result : undefined
  const holdsSecrets = 'hasSecrets' in result && result.hasSecrets
  const errorIn = (where: string): string | undefined =>
    failed?.where === where ? failed.message : undefined

  return (
    <>
      <a class="skip" href="#result">
        Skip to the result
      </a>
      <header>
        <div>
          <a href="../">svc-auth</a>
          <h1>Signature inspector</h1>
          <p>
            Takes a request signed with AWS Signature Version 4 apart, step by step, and says why a
            server refused it. It happens in this page: nothing that you paste leaves it, and
            nothing is stored.
          </p>
        </div>
        <div class="actions">
          <span id="try">Try:</span>
          <span role="group" aria-labelledby="try">
            {examples.map(({ name, fill }) => (
              <button
                key={name}
                type="button"
                onClick={() => {
                  setEntered({ ...nothingEntered, ...fill(Date.now()) })
                  // On a narrow screen it stands below the fields.
                  const shown = document.getElementById('result')
                  const isBelow = (shown?.getBoundingClientRect().top ?? 0) > innerHeight
                  if (isBelow) shown?.scrollIntoView()
                }}
              >
                {name}
              </button>
            ))}
          </span>
          <button type="button" class="clear" onClick={clear}>
            Clear everything
          </button>
        </div>
      </header>
      <main>
        <form
          autocomplete="off"
          aria-label="What to inspect"
          onSubmit={(event) => event.preventDefault()}
        >
          <RequestInput
            entered={entered}
            recognised={'kind' in result ? result.kind : undefined}
            holdsSecrets={holdsSecrets}
            error={errorIn('request')}
            onChange={change}
          />
          {result.type !== 'token' && (
            <>
              <fieldset>
                <legend>
                  The server’s response <span class="optional">optional, to find out why</span>
                </legend>
                <SourceField
                  id="response"
                  label="Paste the error"
                  hint="The XML, or the whole response with its status and headers."
                  rows={5}
                  text={entered.response}
                  holdsSecrets={false}
                  error={errorIn('response')}
                  onText={(response) => change({ response })}
                  onLarge={(large) =>
                    void readStart(large?.source).then((response) => change({ response }))
                  }
                />
              </fieldset>
              <KeyFields
                value={entered.key}
                error={errorIn('key')}
                onChange={(key) => change({ key })}
              />
            </>
          )}
        </form>
        <section id="result" class="result" aria-labelledby="result-title" tabIndex={-1}>
          <h2 id="result-title" class="visually-hidden">
            Result
          </h2>
          <p class="visually-hidden" role="status" aria-live="polite">
            {announcement}
          </p>
          {result.type === 'empty' && <Shared fragment={fragment} />}
          {result.type === 'empty' && !isSharedFragment(fragment) && <Welcome />}
          {failed && (
            <div class="finding wrong">
              <h3>
                <span class="mark" aria-hidden="true">
                  ✗
                </span>
                This cannot be read
              </h3>
              <p>{failed.message}</p>
            </div>
          )}
          {result.type === 'har' && (
            <HarList
              har={result}
              filter={entered.filter}
              onFilter={(filter) => change({ filter })}
              onChoose={(entry) => {
                change({ entry })
                document.getElementById('result')?.focus()
              }}
            />
          )}
          {entered.entry !== undefined && result.type !== 'har' && (
            <p>
              <button type="button" onClick={() => change({ entry: undefined })}>
                ← All requests of the HAR
              </button>
            </p>
          )}
          {result.type === 'request' && <RequestResult result={result} />}
          {result.type === 'token' && <TokenResult result={result} />}
        </section>
      </main>
    </>
  )
}

/** The text of an error has a few kilobytes; of anything longer the beginning is enough. */
async function readStart(source: string | Blob | undefined): Promise<string> {
  if (source === undefined) return ''
  if (typeof source === 'string') return source.slice(0, largestShown)
  return (await source.slice(0, largestShown).text()).slice(0, largestShown)
}

function announcementOf(inspection: Inspection): string {
  switch (inspection.type) {
    case 'empty':
      return ''
    case 'failed':
      return inspection.message
    case 'har':
      return `${inspection.found} requests to choose from.`
    default:
      return inspection.findings.map(({ title }) => `${title}.`).join(' ')
  }
}

function Shared({ fragment }: { readonly fragment: string }): VNode | null {
  if (!isSharedFragment(fragment)) return null
  const shared = readFragment(fragment)
  if (!shared) {
    return (
      <div class="finding wrong">
        <h3>The link is broken</h3>
        <p>It was cut off or changed, or is of another version of this page.</p>
      </div>
    )
  }
  return (
    <>
      <h3>An explanation that was shared with you</h3>
      <p class="hint">
        It came with the link, and anyone can write a link: nothing of it was checked here.
      </p>
      <SharedContent shared={shared} />
    </>
  )
}

function Welcome(): VNode {
  return (
    <div class="welcome">
      <h3>What you will see</h3>
      <ul>
        <li>
          the canonical request, the string to sign and the signing key, line by line, each with its
          clause
        </li>
        <li>
          with the server’s error: the line and the very characters that differ, and the usual cause
        </li>
        <li>with the secret key: if the signature is right</li>
        <li>of a presigned URL: when it expires; of a token: its claims and its lifetime</li>
      </ul>
    </div>
  )
}
