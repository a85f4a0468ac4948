import type { ReactElement, ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }): ReactElement {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
