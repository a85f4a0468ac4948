/** Faults that any request may meet, a login too. */
type CommonFault =
  | 'none'
  | 'slow'
  | 'refused'
  | 'forbidden'
  | 'throttled'
  | 'busy'
  | 'broken'
  | 'dropped'
  /** No response until the caller gives up. */
  | 'silent'

/** Faults of the first request of an operation, in front of the service. */
export type OperationFault = CommonFault | 'truncated' | 'undecodable' | 'skewed' | 'skewed twice'

/** Faults of the logins of a round. */
export type LoginFault =
  | CommonFault
  | 'redirected'
  | 'not json'
  | 'no token'
  | 'bad token'
  | 'too large'
