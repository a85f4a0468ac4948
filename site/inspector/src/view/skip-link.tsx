import type { VNode } from 'preact'

/** Goes to the result, and leaves the fragment as it is, which may hold an explanation. */
export function goToResult(event?: Event): void {
  event?.preventDefault()
  const result = document.getElementById('result')
  result?.focus({ preventScroll: true })
  result?.scrollIntoView()
}

/** The link that skips the fields. */
export function SkipLink(): VNode {
  return (
    <a class="skip" href="#result" onClick={goToResult}>
      Skip to the result
    </a>
  )
}
