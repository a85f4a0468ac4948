/**
 * Hosts that botocore's rules do not have, mostly since each account or resource has one of its own. An entry is a
 * regular expression for what names the service in a host, in which `.` is a dot and `*` the characters of one label. The
 * signing name is its first group, or stands behind `=`; nothing does so where the hosts take no signature.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export const documented: readonly string[] = [
  // Buckets, access points, and the S3 API of an account.
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/transfer-acceleration-getting-started.html
  // https://docs.aws.amazon.com/general/latest/gr/s3.html
  '(s3)',
  '(?:*.)+(s3)-(accelerate|accesspoint|control)',
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-Regions-and-Zones.html
  '(?:*.)?(s3express)-*',
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html
  '(?:*.)?s3-website=',
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-call-api.html
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/request-signing.html
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-clients.html
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/configure-client.html
  // https://docs.aws.amazon.com/cloudsearch/latest/developerguide/submitting-requests.html
  // https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html
  // https://docs.aws.amazon.com/kinesisvideostreams/latest/dg/API_dataplane_GetMedia.html
  // https://docs.aws.amazon.com/neptune-analytics/latest/userguide/query-APIs.html
  // https://docs.aws.amazon.com/timestream/latest/developerguide/VPCEndpoints.html
  // https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
  '*.(aoss|cloudsearch|dsql|es|execute-api|kinesisvideo|neptune-graph|osis|s3-object-lambda)',
  '*.(deadline|payment-cryptography|sagemaker|timestream)',
  '(?:*.)?aos=es',
  // https://docs.aws.amazon.com/neptune/latest/userguide/iam-auth-connecting.html
  '*.*.neptune=neptune-db',
  // https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
  '*.(lambda)-url',
  // https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
  '*.(appsync)(-realtime)?-api',
  // https://docs.aws.amazon.com/iot/latest/developerguide/iot-connect-devices.html
  // https://docs.aws.amazon.com/greengrass/v2/developerguide/greengrass-service-endpoints.html
  '*.ats.iot=iotdata',
  '*.jobs.iot=iot-jobs-data',
  '(greengrass)-ats.iot',
  '*.iot-tunneling=IoTSecuredTunneling',
  // https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html
  '(bedrock)(-agent|-data-automation)?(-runtime)?',
  // https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-invoke-agent.html
  '(bedrock-agentcore)-control',
  // https://docs.aws.amazon.com/AmazonS3/latest/s3-outposts/s3-outposts-endpoints.html
  // https://docs.aws.amazon.com/vpc-lattice/latest/ug/sigv4-authenticated-requests.html
  '(?:*.)+(bedrock-agentcore|s3-outposts|vpc-lattice-svcs)',
  // https://docs.aws.amazon.com/sdkref/latest/guide/feature-account-endpoints.html
  '*.(?:search-)?ddb=dynamodb',
  // https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html
  '(transcribe)streaming',
  // https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference.html
  '(aps)-workspaces',
  // https://docs.aws.amazon.com/singlesignon/latest/OIDCAPIReference/API_CreateTokenWithIAM.html
  'oidc=sso-oauth',
  // Services, operations and dual-stack names that are newer than those rules.
  // https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
  '*-marketplace=aws-marketplace',
  '(cassandra)-streams',
  // https://docs.aws.amazon.com/location/latest/developerguide/
  '(maps|places|routes).geo/v2=geo-$1',
  'cp.*.(geo)',
  'efs=elasticfilesystem',
  '(ivs)realtime',
  '(kafka)-api',
  'mail-manager=ses',
  'runtime-(medical-imaging)',
  'data-(signer)',
  // https://docs.aws.amazon.com/general/latest/gr/rekognition.html
  'stream(?:ing)?-(logs|rekognition)',
  '(?:search|streams)-(dynamodb)',
  '(timestream)-(ingest|query)',
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
  'queue=sqs',
]
