import { memory } from './memory/topic.ts'
import { requests } from './requests/topic.ts'
import { shell } from './shell/topic.ts'
import { signing } from './signing/topic.ts'
import { start } from './start/topic.ts'
import { tokens } from './tokens/topic.ts'

/** All that is measured, in the order of the page, by name. */
export const topics = { requests, start, signing, tokens, memory, shell } as const

/** The name of a topic. */
export type TopicName = keyof typeof topics

/** The names in the order of the page. */
// They are the keys of the object above.
export const topicNames = Object.keys(topics) as TopicName[]
