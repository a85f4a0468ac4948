import { render } from 'preact'
import { App } from './view/app.tsx'
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a file of it
import './view/inspector.css'

const root = document.getElementById('app')

function open(): void {
  if (root) render(<App />, root)
}

// A page that is left may be kept whole, to come back to. What stood in its fields is gone by then.
function leave(): void {
  for (const field of document.querySelectorAll('input, textarea')) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = ''
  }
  if (root) render(null, root)
}

// What stands there until the script runs.
root?.replaceChildren()
addEventListener('pagehide', leave)
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) open()
})
// A file that is dropped beside a field would take the place of the page.
for (const name of ['dragover', 'drop']) addEventListener(name, (event) => event.preventDefault())
open()
