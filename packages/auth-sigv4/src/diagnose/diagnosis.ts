/**
 * What a diagnosis comes to.
 *
 * | verdict | meaning |
 * |---|---|
 * | `canonical-request` | the server computed another canonical request; `differences` has its lines |
 * | `string-to-sign` | the canonical requests agree; date, region or service do not |
 * | `secret-or-key` | all that the server shows agrees, or it does not know or take the key |
 * | `clock` | the request is too old or too new for the server, or its presigned URL has ended |
 * | `region` | the server wants another region |
 * | `payload` | the body that arrived is not the one that was hashed |
 * | `unknown` | the server gave nothing to compare, or refused for another reason |
 */
export type Verdict =
  | 'canonical-request'
  | 'string-to-sign'
  | 'secret-or-key'
  | 'clock'
  | 'region'
  | 'payload'
  | 'unknown'

/** A line that is not the same on both sides. */
export interface Difference {
  /**
   * What the line is: `method`, `path`, `query`, `header host` (any header by its name),
   * `signed headers`, `payload hash`; of the string to sign `algorithm`, `date`, `scope date`, `region`,
   * `service`, `scope end`, `canonical request hash`; beside these `access key`, `signature`, `expiry`,
   * `digest`.
   */
  line: string
  /** The line as it is signed here; empty where there is none. A secret value is shortened. */
  ours: string
  /** The line as the server has it; empty where there is none. A secret value is shortened. */
  theirs: string
  /** What usually causes it, and what to do. */
  hint: string
}

/** Why a signature was refused, as far as the server's answer says. */
export interface Diagnosis {
  /** What it comes to; see {@link Verdict}. */
  verdict: Verdict
  /** The lines that differ, in the order of the canonical request. */
  differences: Difference[]
  /** All of it in a few plain lines, for a log or a terminal. */
  summary: string
}

/** What was found, before it is written up. */
export interface Finding {
  readonly verdict: Verdict
  /** What this means, in one sentence. */
  readonly meaning: string
  readonly differences?: readonly Difference[]
  /** What else is to be known. */
  readonly notes?: readonly string[]
}
