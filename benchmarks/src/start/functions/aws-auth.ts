import { authFetch } from '@svc/auth-hooks/light'
import { createAwsAuth } from '@svc/auth-sigv4/aws'

const aws = authFetch(createAwsAuth())

/** Signs one request, by the key of the environment. */
export const handler = (): Promise<Response> => aws('https://sqs.eu-west-1.amazonaws.com/')
