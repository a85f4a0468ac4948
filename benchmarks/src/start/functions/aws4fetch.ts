import { AwsClient } from 'aws4fetch'

const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
const aws = new AwsClient({
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
})

/** Signs one request, by the key of the environment. */
export const handler = (): Promise<Response> => aws.fetch('https://sqs.eu-west-1.amazonaws.com/')
