import { authFetch } from '@svc/auth-hooks/light'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { awsCredentials } from '@svc/auth-sigv4/credentials'

const aws = authFetch(createAwsAuth({ credentials: awsCredentials() }))

/** Signs one request, by a key of any of AWS's sources. */
export const handler = (): Promise<Response> => aws('https://sqs.eu-west-1.amazonaws.com/')
