import { growth } from './growth/topic.ts'
import { latency } from './latency/topic.ts'
import { memory } from './memory/topic.ts'
import { profile } from './profile/topic.ts'
import { requests } from './requests/topic.ts'
import { shell } from './shell/topic.ts'
import { signing } from './signing/topic.ts'
import { start } from './start/topic.ts'
import { tokens } from './tokens/topic.ts'
import { traces } from './traces/topic.ts'

/** All that is measured, in the order of the page, by name. */
export const topics = {
  signing,
  profile,
  requests,
  latency,
  tokens,
  traces,
  memory,
  start,
  shell,
  growth,
} as const

/** The name of a topic. */
export type TopicName = keyof typeof topics

/** The names in the order of the page. */
// They are the keys of the object above.
export const topicNames = Object.keys(topics) as TopicName[]
