import { buildSite } from './src/build-site.ts'

await buildSite()
