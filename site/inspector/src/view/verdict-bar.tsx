import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Finding } from '../inspect/inspection.ts'
import { marks } from './findings.tsx'
import { goToResult } from './skip-link.tsx'

/**
 * Keeps the first finding in sight while the fields are and the result is not. A screen reader hears it from the live
 * region, and a keyboard has the link that skips to the result, so it is for the eye and the pointer alone.
 */
export function VerdictBar({
  verdict,
}: {
  readonly verdict: Pick<Finding, 'outcome' | 'title'>
}): VNode | null {
  const [isNeeded, setNeeded] = useState(false)
  const { outcome, title } = verdict
  useEffect(() => {
    const seen = new Map<Element, boolean>()
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) seen.set(target, isIntersecting)
      const [form, finding] = seen.values()
      setNeeded(form === true && finding === false)
    })
    for (const name of ['form', '.finding']) {
      const one = document.querySelector(name)
      if (!one) continue
      seen.set(one, false)
      observer.observe(one)
    }
    return () => observer.disconnect()
  }, [verdict])
  // The field that has the focus may lie where the bar appears.
  useLayoutEffect(() => {
    const focused = document.activeElement
    if (isNeeded && focused?.closest('form')) focused.scrollIntoView({ block: 'nearest' })
  }, [isNeeded])
  if (!isNeeded) return null
  return (
    <a
      class={`verdict ${outcome}`}
      href="#result"
      tabIndex={-1}
      aria-hidden="true"
      onClick={goToResult}
    >
      <span class="mark">{marks[outcome]}</span>
      <span class="verdict-title">{title}</span>
      <span class="verdict-go">See why</span>
    </a>
  )
}
