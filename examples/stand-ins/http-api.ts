// Stands in for an HTTP API of AWS.
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The event of payload format 2.0 for a GET. */
export function eventOf(rawPath: string): APIGatewayProxyEventV2 {
  const domainName = 'abcdefghij.execute-api.us-east-1.amazonaws.com'
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: '',
    headers: { accept: '*/*', host: domainName },
    isBase64Encoded: false,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      domainName,
      domainPrefix: 'abcdefghij',
      http: {
        method: 'GET',
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: 'curl',
      },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '10/Mar/2026:05:16:23 +0000',
      timeEpoch: 1773119783000,
    },
  }
}
