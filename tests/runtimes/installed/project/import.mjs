import { consume } from './consume.mjs'

await consume((name) => import(name))
