import { buildSite } from './src/build-site.ts'
import { output } from './src/pages.ts'
import { serve } from './src/serve.ts'

await buildSite()
const { url } = await serve(output, Number(process.env['PORT'] ?? 4173))
console.log(`The site is at ${url}/`)
