import { show } from '../../support/chromium/show.ts'

const worker = new Worker('/web-worker.js', { type: 'module' })
worker.addEventListener('message', ({ data }) => show(data))
worker.addEventListener('error', ({ message }) => show(message))
