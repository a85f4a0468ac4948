/**
 * Hosts that botocore's rules do not have, mostly since each account or resource has one of its own; in the form of
 * `exceptions.ts`, where `**.` stands for any number of labels.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export const documented: readonly string[] = [
  // Buckets with any number of dots, access points, and the S3 API of an account.
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
  // https://docs.aws.amazon.com/general/latest/gr/s3.html
  '**.s3',
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/transfer-acceleration-getting-started.html
  '**.s3-accelerate=s3',
  '*.s3-accesspoint=s3',
  '*.s3-control=s3',
  '*.s3-object-lambda',
  '**.s3-outposts',
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-Regions-and-Zones.html
  '**.s3express',
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-call-api.html
  '*.execute-api',
  // https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
  '*.lambda-url=lambda',
  // https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
  '*.appsync-api=appsync',
  '*.appsync-realtime-api=appsync',
  // https://docs.aws.amazon.com/iot/latest/developerguide/iot-connect-devices.html
  '*.jobs.iot=iot-jobs-data',
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/request-signing.html
  '*.es',
  '*.aos=es',
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-clients.html
  '*.aoss',
  // https://docs.aws.amazon.com/cloudsearch/latest/developerguide/submitting-requests.html
  '*.cloudsearch',
  // https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html
  'bedrock-runtime=bedrock',
  'bedrock-agent=bedrock',
  'bedrock-agent-runtime=bedrock',
  'bedrock-data-automation=bedrock',
  'bedrock-data-automation-runtime=bedrock',
  // https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-invoke-agent.html
  'bedrock-agentcore-control=bedrock-agentcore',
  '**.bedrock-agentcore',
  // https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html
  '*.dsql',
  // https://docs.aws.amazon.com/sdkref/latest/guide/feature-account-endpoints.html
  '*.ddb=dynamodb',
  // https://docs.aws.amazon.com/vpc-lattice/latest/ug/sigv4-authenticated-requests.html
  '**.vpc-lattice-svcs',
  // https://docs.aws.amazon.com/kinesisvideostreams/latest/dg/API_dataplane_GetMedia.html
  '*.kinesisvideo',
  // https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html
  'transcribestreaming=transcribe',
  // Services and dual-stack names that are newer than those rules.
  // https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
  '*-marketplace=aws-marketplace',
  '*.payment-cryptography',
  'aos=es',
  'cassandra-streams=cassandra',
  'efs=elasticfilesystem',
  'kafka-api=kafka',
  'mail-manager=ses',
  'maps.geo=geo-maps',
  'places.geo=geo-places',
  'routes.geo=geo-routes',
  'streams-dynamodb=dynamodb',
  'timestream-ingest=timestream',
  'timestream-query=timestream',
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
  'queue=sqs',
]
