import type { EmulatorApiKey } from './options.ts'
import { reject, type Rejected, rejectSignature } from './result.ts'
import {
  computeSignature,
  deriveSigningKey,
  equalInConstantTime,
  parseAmzDate,
  signingAlgorithm,
} from './signature.ts'

/** The settings that a policy is verified with. */
export interface PolicySettings {
  readonly apiKeys: readonly EmulatorApiKey[]
  readonly region: string
}

const requiredFields = [
  'policy',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-signature',
]

/**
 * Verifies the signature of a policy, whose string to sign is its Base64 text.
 *
 * @param fields - The fields of the form, their names in lower case. All strings are byte strings.
 * @returns The access key that signed, or why the signature is rejected.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html
 */
export function verifyPolicySignature(
  fields: ReadonlyMap<string, string>,
  { apiKeys, region }: PolicySettings,
): { readonly ok: true; readonly accessKeyId: string } | Rejected {
  const value = (name: string): string => fields.get(name) ?? ''
  const missing = requiredFields.find((name) => value(name) === '')
  if (missing === requiredFields[0]) {
    return reject('AccessDenied', 'Access Denied: the form has no signed policy before its file.')
  }
  if (missing !== undefined) {
    const problem = `Bucket POST must contain a field named '${missing}'. If it is specified, please check the order of the fields.`
    return rejectField(missing, problem)
  }
  if (value('x-amz-algorithm') !== signingAlgorithm) {
    return rejectField('x-amz-algorithm', `x-amz-algorithm only supports "${signingAlgorithm}"`)
  }
  const [accessKeyId = '', date = '', ...rest] = value('x-amz-credential').split('/')
  const [scopeRegion = '', service, terminator, ...more] = rest
  if (service !== 's3' || terminator !== 'aws4_request' || more.length > 0) {
    const form = '<access key>/YYYYMMDD/REGION/s3/aws4_request'
    return rejectField('x-amz-credential', `the Credential is mal-formed; expecting "${form}".`)
  }
  if (scopeRegion !== region) {
    const problem = `the region '${scopeRegion}' is wrong; expecting '${region}'`
    return rejectField('x-amz-credential', problem, [['Region', region]])
  }
  const amzDate = value('x-amz-date')
  if (parseAmzDate(amzDate) === undefined || amzDate.slice(0, 8) !== date) {
    return rejectField('x-amz-date', `x-amz-date must be an ISO8601 date of the day "${date}"`)
  }

  const apiKey = apiKeys.find((key) => key.accessKeyId === accessKeyId)
  if (apiKey === undefined) {
    return reject(
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
      [['AWSAccessKeyId', accessKeyId]],
    )
  }
  const token = value('x-amz-security-token')
  if (!equalInConstantTime(token, apiKey.sessionToken ?? '')) {
    return reject('InvalidToken', 'The provided token is malformed or otherwise invalid.')
  }
  const policy = value('policy')
  const signingKey = deriveSigningKey(apiKey.secretAccessKey, { date, region, service })
  const signature = value('x-amz-signature')
  if (equalInConstantTime(computeSignature(signingKey, policy), signature)) {
    return { ok: true, accessKeyId }
  }
  const evidence = { accessKeyId, stringToSign: policy, signatureProvided: signature }
  return { ...rejectSignature(), ...evidence }
}

function rejectField(name: string, message: string, details: Rejected['details'] = []): Rejected {
  return reject('InvalidArgument', message, [['ArgumentName', name], ...details])
}
