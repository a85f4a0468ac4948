import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { navigation } from '../../../src/navigation.ts'
import type { Inspection } from '../inspect/inspection.ts'
import { createInspector } from '../inspect/inspector.ts'
import { mayHoldSecrets } from '../input/secret-words.ts'
import { isSharedFragment, readFragment } from '../share/fragment.ts'
import { examples } from './examples.ts'
import { HarList } from './har-list.tsx'
import { KeyFields } from './key-fields.tsx'
import { RequestInput } from './request-input.tsx'
import { announcementOf, ResultView, verdictOf } from './result-view.tsx'
import { SharedContent } from './shared-content.tsx'
import { goToResult, SkipLink } from './skip-link.tsx'
import { SourceField } from './source-field.tsx'
import { type Entered, nothingEntered } from './state.ts'
import { VerdictBar } from './verdict-bar.tsx'

/** The pause of a person who types, after which it is inspected. */
const pauseMs = 100

/** The page. */
export function App(): VNode {
  const [entered, setEntered] = useState<Entered>(nothingEntered)
  const [result, setResult] = useState<Inspection>({ type: 'empty' })
  const [announcement, setAnnouncement] = useState('')
  const [fragment, setFragment] = useState(location.hash)
  /** How often everything was cleared: the fields of each time are new, with nothing revealed. */
  const [clearings, setClearings] = useState(0)
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
    setClearings(clearings + 1)
  }
  useLayoutEffect(() => {
    if (clearings > 0) document.getElementById('source')?.focus()
  }, [clearings])
  // A keystroke in a field changes nothing of the result.
  const shownResult = useMemo(() => <ResultView result={result} />, [result])
  const shared = useMemo(() => <Shared fragment={fragment} />, [fragment])
  const verdict = useMemo(() => verdictOf(result), [result])
  const failed = result.type === 'failed' ? result : undefined
  const holdsSecrets =
    'hasSecrets' in result
      ? result.hasSecrets
      : mayHoldSecrets(`${entered.fields.headers}\n${entered.text}`, true)
  const errorIn = (where: string): string | undefined =>
    failed?.where === where ? failed.message : undefined

  return (
    <>
      <SkipLink />
      <header>
        <div>
          <nav aria-label="Site">
            <a href="../">svc-auth</a>
            {navigation.map(({ text, link }) => (
              <a
                key={link}
                href={hrefOf(link)}
                aria-current={link === '/inspector/' ? 'page' : undefined}
              >
                {text}
              </a>
            ))}
          </nav>
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
          key={clearings}
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
                  holdsSecrets={mayHoldSecrets(entered.response, holdsSecrets)}
                  error={errorIn('response')}
                  onText={(response) => change({ response })}
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
          {result.type === 'empty' && shared}
          {result.type === 'empty' && !isSharedFragment(fragment) && <Welcome />}
          {result.type === 'har' && (
            <HarList
              har={result}
              filter={entered.filter}
              onFilter={(filter) => change({ filter })}
              onChoose={(entry) => {
                change({ entry })
                goToResult()
              }}
            />
          )}
          {entered.entry !== undefined && result.type !== 'har' && (
            <p>
              <button
                type="button"
                onClick={() => {
                  change({ entry: undefined })
                  goToResult()
                }}
              >
                ← All requests of the HAR
              </button>
            </p>
          )}
          {shownResult}
        </section>
      </main>
      {verdict && <VerdictBar verdict={verdict} />}
    </>
  )
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
          place in AWS’s documents
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

/** Returns the address of a page of the site, seen from this one, whatever folder the site is in. */
function hrefOf(link: string): string {
  return `..${link}${link.endsWith('/') ? '' : '.html'}`
}
