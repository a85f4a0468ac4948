/** What may go wrong with any request, a login too. */
type CommonFault =
  | 'none'
  | 'slow'
  | 'refused'
  | 'forbidden'
  | 'throttled'
  | 'busy'
  | 'broken'
  | 'dropped'
  /** No answer until the caller gives up. */
  | 'silent'

/** What goes wrong with the first request of an operation, in front of the service. */
export type OperationFault = CommonFault | 'truncated' | 'undecodable' | 'skewed' | 'skewed twice'

/** What goes wrong with the logins of a round. */
export type LoginFault =
  | CommonFault
  | 'redirected'
  | 'not json'
  | 'no token'
  | 'bad token'
  | 'too large'
