/**
 * Where and on which day a signature is valid.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export interface CredentialScope {
  /** The day in UTC, such as `20130524`. */
  readonly date: string
  /** The region of the environment, such as `us-east-1`. */
  readonly region: string
  /** The service name, `s3` by default. */
  readonly service: string
}

/** The scope as it stands in the string to sign: `20130524/us-east-1/s3/aws4_request`. */
export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`
}
