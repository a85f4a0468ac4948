'use client'
import type { ReactElement } from 'react'

export function CopyButton({ href }: { href: string }): ReactElement {
  return <button onClick={() => navigator.clipboard.writeText(href)}>Copy the link</button>
}
