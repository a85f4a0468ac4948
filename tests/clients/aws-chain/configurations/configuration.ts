/** An environment in which a key is looked for. */
export interface Configuration {
  readonly name: string
  /** `~/.aws/config`. */
  readonly config?: string
  /** `~/.aws/credentials`. */
  readonly credentials?: string
  /** Other files, by their paths from the folder of the user. */
  readonly files?: Readonly<Record<string, string>>
  /** Variables; `{home}` is the folder of the user, `{origin}` the services, `{imds}` a machine, `{none}` not set. */
  readonly variables?: Readonly<Record<string, string>>
  /** The profile that the caller chooses. */
  readonly profile?: string
  /** The name of the key that is found; `error` if there is none. */
  readonly finds: string
}

const account = '000000000000'
export const arn = (role: string): string => `arn:aws:iam::${account}:role/${role}`

/** Returns the lines of a profile with a key. */
export const key = (name: string): string =>
  `aws_access_key_id = ${name}\naws_secret_access_key = secret-of-${name}\n`

export const environment = { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 'secret-of-ENV' }
export const webIdentity = { AWS_WEB_IDENTITY_TOKEN_FILE: '{home}/token', AWS_ROLE_ARN: arn('pod') }
export const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: '{origin}/container' }
export const machine = {
  AWS_EC2_METADATA_DISABLED: 'false',
  AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds}',
}
export const token = { token: 'a-token' }
export const printing = (id: string, more = ''): string =>
  `echo '{"Version":1,"AccessKeyId":"${id}","SecretAccessKey":"secret-of-${id}"${more}}'`
