/** The scope that a signing key is good for. */
export interface CredentialScope {
  /** `YYYYMMDD`. */
  readonly date: string
  readonly region: string
  readonly service: string
}

/** The credential scope as it stands in a string to sign. */
export function formatScope(scope: CredentialScope): string {
  return `${scope.date}/${scope.region}/${scope.service}/aws4_request`
}
