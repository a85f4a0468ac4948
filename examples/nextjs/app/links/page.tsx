// A page that gives a client component a link for ten minutes: GET /links
import { presign } from '@svc/auth-sigv4/presign'
import { connection } from 'next/server'
import { Suspense, type ReactElement } from 'react'
import { createAuth } from '../../lib/service'
import { CopyButton } from './copy-button'

export default function Page(): ReactElement {
  return (
    <Suspense fallback={<p>…</p>}>
      <Link />
    </Suspense>
  )
}

async function Link(): Promise<ReactElement> {
  // Signing reads the clock.
  await connection()
  const link = await presign(createAuth(), '/V1/reports/today.csv', { expiresInSeconds: 600 })
  return <CopyButton href={link.href} />
}
