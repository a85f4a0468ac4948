import type { Scenario } from './scenario.ts'
import { authentication } from './scenarios/authentication.ts'
import { digest } from './scenarios/digest.ts'
import { dispatchers } from './scenarios/dispatchers.ts'
import { ends } from './scenarios/ends.ts'
import { leaks } from './scenarios/leaks.ts'
import { names } from './scenarios/names.ts'
import { redirects } from './scenarios/redirects.ts'
import { streams } from './scenarios/streams.ts'
import { transport } from './scenarios/transport.ts'
import { uploads } from './scenarios/uploads.ts'

/** Every scenario, in the order of the rows. */
export const scenarios: readonly Scenario[] = [
  ...authentication,
  ...digest,
  ...names,
  ...uploads,
  ...streams,
  ...ends,
  ...redirects,
  ...dispatchers,
  ...transport,
  ...leaks,
]
