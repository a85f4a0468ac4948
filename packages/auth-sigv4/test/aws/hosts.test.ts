import { expect, test } from 'vitest'
import { readHost } from '../testing.ts'

/** Reads a host, which may have a path behind it. */
function read(address: string): ReturnType<typeof readHost> {
  const [hostname = '', ...path] = address.split('/')
  return readHost({ hostname, pathname: `/${path.join('/')}` })
}

// Hosts that botocore's rules do not have; the documents are named in `src/aws/documented.ts`.
test.each<[host: string, service: string, region: string | undefined]>([
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
  ['s3.amazonaws.com', 's3', undefined],
  ['bucket.s3.amazonaws.com', 's3', undefined],
  ['my.bucket.with.dots.s3.amazonaws.com', 's3', undefined],
  [`${'a.'.repeat(32)}s3.dualstack.us-east-1.amazonaws.com`, 's3', 'us-east-1'],
  ['execute-api.s3.amazonaws.com', 's3', undefined],
  ['a.eu-west-1.es.s3.us-east-1.amazonaws.com', 's3', 'us-east-1'],
  ['s3.us-east-1.s3.amazonaws.com', 's3', undefined],
  ['eu-west-1.s3-accelerate.amazonaws.com', 's3', undefined],
  ['a.b.s3-accelerate.dualstack.amazonaws.com', 's3', undefined],
  ['s3-website.s3.eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
  ['vpce-a.vpce-b.s3.eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
  ['fips.s3-accelerate.dualstack.us-east-1.amazonaws.com', 's3', 'us-east-1'],
  ['a-fips.s3-fips.us-east-1.amazonaws.com', 's3', 'us-east-1'],
  ['us-east-1.s3.amazonaws.com', 's3', undefined],
  ['bucket.s3-us-west-2.amazonaws.com', 's3', 'us-west-2'],
  ['s3-eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
  ['s3-fips-us-gov-west-1.amazonaws.com', 's3', 'us-gov-west-1'],
  ['bucket.s3-external-1.amazonaws.com', 's3', 'us-east-1'],
  ['bucket.s3-accelerate.amazonaws.com', 's3', undefined],
  ['s3.s3.s3.us-east-2.amazonaws.com', 's3', 'us-east-2'],
  ['bucket.s3.dualstack.eu-west-1.amazonaws.com', 's3', 'eu-west-1'],
  ['s3.cn-north-1.amazonaws.com.cn', 's3', 'cn-north-1'],
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-Regions-and-Zones.html
  ['b--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com', 's3express', 'us-east-1'],
  ['s3express-control.us-east-1.amazonaws.com', 's3express', 'us-east-1'],
  ['b--x-s3.s3express-fips-use1-az4.dualstack.us-east-1.amazonaws.com', 's3express', 'us-east-1'],
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/privatelink-interface-endpoints.html
  ['bucket.vpce-1a2b-x.s3.us-east-1.vpce.amazonaws.com', 's3', 'us-east-1'],
  ['vpce-mine.bucket.vpce-1a2b-x.s3.us-east-1.vpce.amazonaws.com', 's3', 'us-east-1'],
  ['point-1.accesspoint.vpce-1a2b-x.s3.us-east-1.vpce.amazonaws.com', 's3', 'us-east-1'],
  ['vpce-1a2b-x-us-east-1a.sqs.us-east-1.vpce.amazonaws.com', 'sqs', 'us-east-1'],
  ['vpce-1a2b-x.api.ecr.us-east-1.vpce.amazonaws.com', 'ecr', 'us-east-1'],
  ['vpce-1a2b-x.execute-api.us-east-1.vpce.amazonaws.com', 'execute-api', 'us-east-1'],
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-call-api.html
  ['abc123.execute-api.eu-west-1.amazonaws.com', 'execute-api', 'eu-west-1'],
  ['abc123-vpce-1a2b.execute-api.cn-north-1.amazonaws.com.cn', 'execute-api', 'cn-north-1'],
  // https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
  ['abc123.lambda-url.us-east-1.on.aws', 'lambda', 'us-east-1'],
  // https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
  ['abc123.appsync-api.us-east-1.amazonaws.com', 'appsync', 'us-east-1'],
  ['abc123.appsync-realtime-api.us-east-1.amazonaws.com', 'appsync', 'us-east-1'],
  // https://docs.aws.amazon.com/iot/latest/developerguide/iot-connect-devices.html
  ['a1b2c3-ats.iot.eu-central-1.amazonaws.com', 'iotdata', 'eu-central-1'],
  ['a1b2c3.iot.cn-north-1.amazonaws.com.cn', 'iotdata', 'cn-north-1'],
  ['a1b2c3.jobs.iot.eu-central-1.amazonaws.com', 'iot-jobs-data', 'eu-central-1'],
  // https://docs.aws.amazon.com/general/latest/gr/rekognition.html
  ['streaming-rekognition.us-east-1.amazonaws.com', 'rekognition', 'us-east-1'],
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/request-signing.html
  ['search-my-domain-abc.us-east-1.es.amazonaws.com', 'es', 'us-east-1'],
  ['vpc-my-domain-abc.us-gov-west-1.es.amazonaws.com', 'es', 'us-gov-west-1'],
  ['search-my-domain-abc.aos.us-east-1.on.aws', 'es', 'us-east-1'],
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-clients.html
  ['abc123.us-east-1.aoss.amazonaws.com', 'aoss', 'us-east-1'],
  // https://docs.aws.amazon.com/cloudsearch/latest/developerguide/submitting-requests.html
  ['search-movies-abc.us-east-1.cloudsearch.amazonaws.com', 'cloudsearch', 'us-east-1'],
  // https://docs.aws.amazon.com/bedrock/latest/userguide/endpoints.html
  ['bedrock.us-east-1.amazonaws.com', 'bedrock', 'us-east-1'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 'bedrock', 'us-east-1'],
  ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'bedrock', 'us-gov-west-1'],
  ['bedrock-agent-runtime.eu-west-3.amazonaws.com', 'bedrock', 'eu-west-3'],
  ['bedrock-agentcore.us-east-1.amazonaws.com', 'bedrock-agentcore', 'us-east-1'],
  ['id.gateway.bedrock-agentcore.us-east-1.amazonaws.com', 'bedrock-agentcore', 'us-east-1'],
  // https://docs.aws.amazon.com/opensearch-service/latest/developerguide/configure-client.html
  ['pipeline-abc.us-east-1.osis.amazonaws.com', 'osis', 'us-east-1'],
  // https://docs.aws.amazon.com/neptune/latest/userguide/iam-auth-connecting.html
  ['db.cluster-abc123.us-east-1.neptune.amazonaws.com', 'neptune-db', 'us-east-1'],
  // https://docs.aws.amazon.com/neptune-analytics/latest/userguide/query-APIs.html
  ['g-abc123.us-east-1.neptune-graph.amazonaws.com', 'neptune-graph', 'us-east-1'],
  // https://docs.aws.amazon.com/aurora-dsql/latest/userguide/SECTION_authentication-token.html
  ['dsql.us-east-1.api.aws', 'dsql', 'us-east-1'],
  ['abc123.dsql.us-east-1.on.aws', 'dsql', 'us-east-1'],
  // https://docs.aws.amazon.com/sdkref/latest/guide/feature-account-endpoints.html
  ['123456789012.ddb.us-east-1.amazonaws.com', 'dynamodb', 'us-east-1'],
  ['123456789012.search-ddb.us-east-1.amazonaws.com', 'dynamodb', 'us-east-1'],
  ['search-dynamodb.us-east-1.api.aws', 'dynamodb', 'us-east-1'],
  // https://docs.aws.amazon.com/vpc-lattice/latest/ug/sigv4-authenticated-requests.html
  ['svc-0a1b.7d67968.vpc-lattice-svcs.us-west-2.on.aws', 'vpc-lattice-svcs', 'us-west-2'],
  // https://docs.aws.amazon.com/kinesisvideostreams/latest/dg/API_dataplane_GetMedia.html
  ['s-1a2b3c.kinesisvideo.us-west-2.amazonaws.com', 'kinesisvideo', 'us-west-2'],
  // https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html
  ['transcribestreaming.us-east-1.amazonaws.com', 'transcribe', 'us-east-1'],
  // https://docs.aws.amazon.com/general/latest/gr/sqs-service.html
  ['queue.amazonaws.com', 'sqs', undefined],
  ['us-west-2.queue.amazonaws.com', 'sqs', 'us-west-2'],
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_region-endpoints.html
  ['sts.amazonaws.com', 'sts', 'us-east-1'],
  ['sts.eu-west-1.amazonaws.com', 'sts', 'eu-west-1'],
  ['sts.eu-west-1.api.aws', 'sts', 'eu-west-1'],
  // https://docs.aws.amazon.com/general/latest/gr/iam-service.html
  ['iam.amazonaws.com', 'iam', 'us-east-1'],
  ['iam.global.api.aws', 'iam', 'us-east-1'],
  ['iam.us-gov.amazonaws.com', 'iam', 'us-gov-west-1'],
  ['iam.cn-north-1.amazonaws.com.cn', 'iam', 'cn-north-1'],
  // https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
  ['streams-dynamodb.eu-west-1.api.aws', 'dynamodb', 'eu-west-1'],
  ['efs.eu-west-1.api.aws', 'elasticfilesystem', 'eu-west-1'],
  ['aos.eu-west-1.api.aws', 'es', 'eu-west-1'],
  ['metering-marketplace.us-east-1.api.aws', 'aws-marketplace', 'us-east-1'],
  ['kafka-api.eu-west-1.api.aws', 'kafka', 'eu-west-1'],
  ['timestream-query.eu-west-1.api.aws', 'timestream', 'eu-west-1'],
  ['cassandra-streams.eu-west-1.amazonaws.com', 'cassandra', 'eu-west-1'],
  ['mail-manager.eu-west-1.amazonaws.com', 'ses', 'eu-west-1'],
  ['aps-workspaces.eu-west-1.amazonaws.com', 'aps', 'eu-west-1'],
  ['oidc.eu-west-1.amazonaws.com', 'sso-oauth', 'eu-west-1'],
  ['stream-logs.eu-west-1.amazonaws.com', 'logs', 'eu-west-1'],
  ['runtime-medical-imaging.us-east-1.amazonaws.com', 'medical-imaging', 'us-east-1'],
  ['data-signer.us-east-1.amazonaws.com', 'signer', 'us-east-1'],
  ['ivsrealtime.us-east-1.api.aws', 'ivs', 'us-east-1'],
  ['management.deadline.us-east-1.amazonaws.com', 'deadline', 'us-east-1'],
  ['job-runtime.sagemaker.us-east-1.api.aws', 'sagemaker', 'us-east-1'],
  ['ingest-cell1.timestream.us-east-1.amazonaws.com', 'timestream', 'us-east-1'],
  ['api.iot-tunneling.ap-east-1.api.aws', 'IoTSecuredTunneling', 'ap-east-1'],
  ['data.ats.iot.cn-north-1.amazonaws.com.cn', 'iotdata', 'cn-north-1'],
  ['greengrass-ats.iot.us-gov-east-1.amazonaws.com', 'greengrass', 'us-gov-east-1'],
  // Two versions of the Location service, on the same hosts.
  // https://docs.aws.amazon.com/location/latest/developerguide/
  ['maps.geo.eu-west-1.amazonaws.com/v2/tiles/a', 'geo-maps', 'eu-west-1'],
  ['places.geo.eu-west-1.amazonaws.com/v2/geocode', 'geo-places', 'eu-west-1'],
  ['routes.geo-fips.us-east-1.api.aws/v2/routes', 'geo-routes', 'us-east-1'],
  ['maps.geo.eu-west-1.amazonaws.com/maps/v0/maps/a', 'geo', 'eu-west-1'],
  ['cp.maps.geo.eu-west-1.amazonaws.com/maps/v0/maps/a', 'geo', 'eu-west-1'],
  ['dataplane.payment-cryptography.eu-west-1.amazonaws.com', 'payment-cryptography', 'eu-west-1'],
  // A service that is newer than the rules, on a domain where customers have nothing.
  ['anything-new.eu-south-2.api.aws', 'anything-new', 'eu-south-2'],
  ['dynamodb.mx-central-1.amazonaws.com', 'dynamodb', 'mx-central-1'],
  // https://docs.aws.amazon.com/general/latest/gr/rande.html
  ['dynamodb.eusc-de-east-1.amazonaws.eu', 'dynamodb', 'eusc-de-east-1'],
])('%s is signed as %s in %s', (host, service, region) => {
  expect(read(host)).toMatchObject({ service, region })
})

test.each([
  // Machines, load balancers and websites of customers, and hosts that take no signature.
  'ec2-203-0-113-25.compute-1.amazonaws.com',
  'ec2-203-0-113-25.eu-west-1.compute.amazonaws.com',
  'name-1234567890.us-east-1.elb.amazonaws.com',
  'name-1234567890.elb.us-east-1.amazonaws.com',
  'db.abc123.us-east-1.rds.amazonaws.com',
  'cluster.abc123.cache.amazonaws.com',
  'bucket.s3-website-us-east-1.amazonaws.com',
  'bucket.s3-website.eu-central-1.amazonaws.com',
  'api.s3-website.eu-central-1.amazonaws.com',
  's3-website.eu-central-1.amazonaws.com',
  'us-east-1.s3-website.eu-central-1.amazonaws.com',
  'alias.mrap.accesspoint.s3-global.amazonaws.com',
  '123456789012.dkr.ecr.us-east-1.amazonaws.com',
  'abc123.credentials.iot.us-east-1.amazonaws.com',
  'abc123.c1.us-east-1.airflow.amazonaws.com',
  'abc123.airflow.us-east-1.amazonaws.com',
  'data.us-east-1.elb.amazonaws.com',
  'us-east-1.compute.amazonaws.com',
  's-0123.server.transfer.us-east-1.amazonaws.com',
  'fs-0123.efs.us-east-1.amazonaws.com',
  'b-0123-1.mq.us-east-1.amazonaws.com',
  'g-0123.grafana-workspace.us-east-1.amazonaws.com',
  'abc.gr7.us-east-1.eks.amazonaws.com',
  'wg.123456789012.us-east-1.redshift-serverless.amazonaws.com',
  'domain-123456789012.d.codeartifact.us-east-1.amazonaws.com',
  'cluster.abc123.memorydb.us-east-1.amazonaws.com',
  'my.portal.sso.us-east-1.amazonaws.com',
  'portal.sso.us-east-1.amazonaws.com',
  'anything.us-east-1.on.aws',
  'my-app.anything.us-east-1.on.aws',
  // A service of somebody else, by PrivateLink.
  'vpce-0123-abc.vpce-svc-0456.us-east-1.vpce.amazonaws.com',
  'vpce-svc-0456.us-east-1.vpce.amazonaws.com',
  // No service is left of the name.
  '-fips.eu-west-1.amazonaws.com',
  'api.-fips.eu-west-1.amazonaws.com',
  'a.b.lambda-url.us-east-1.on.aws',
  'data.api.sqs.us-east-1.amazonaws.com',
  'sync-states.data.us-east-1.amazonaws.com',
  'a.b.execute-api.us-east-1.amazonaws.com',
  'a.b.es.us-east-1.on.aws',
  'evil.s3express-use1-az4.x.us-east-1.amazonaws.com',
  // Several regions at once, with another signature.
  'abc.mrap.accesspoint.s3-global.amazonaws.com/v2/x',
  'abc123.456def.endpoint.events.amazonaws.com',
  'abc123.456def.endpoints.email.global.amazonaws.com',
  '123456789012.cloudfront-kvs.global.api.aws',
  // A path that would continue the name.
  'anything.amazonaws.com/s3.us-east-1.amazonaws.com/',
  'elb.us-east-1.on.aws/v2/',
  // No region, and no service that has none.
  'dynamodb.amazonaws.com',
  'abc123.anything.amazonaws.com',
  'toString.amazonaws.com',
  '__proto__.amazonaws.com',
  'constructor.amazonaws.com',
  // A region of another partition.
  'dynamodb.cn-north-1.amazonaws.com',
  'dynamodb.us-east-1.amazonaws.com.cn',
  's3.us-iso-east-1.amazonaws.com',
  's3.us-east-1.c2s.ic.gov',
  's3.us-isob-east-1.c2s.ic.gov',
  's3.us-gov-west-1.amazonaws.com.cn',
  's3.eusc-de-east-1.amazonaws.com',
  // The domains themselves, and names that are none.
  'amazonaws.com',
  's3.us-east-1.amazonaws.com.',
  's3.us-east-1.amazonaws.com.evil.example',
  's3.us-east-1.amazonaws.community',
  's3.us-east-1.evilamazonaws.com',
  's3.us-east-1.amazonaws.co',
  'bucket..s3.us-east-1.amazonaws.com',
  '.s3.us-east-1.amazonaws.com',
  'a%00.s3.us-east-1.amazonaws.com',
  `${'a.'.repeat(120)}s3.us-east-1.amazonaws.com`,
])('%s tells no service', (host) => {
  expect(read(host)?.service).toBeFalsy()
})
