// Written by `pnpm hosts` of this package, from the rules of endpoints in botocore.

/**
 * What names the service in a host, where that is neither the signing name nor one of the parts before it, in the form of
 * `documented.ts`.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export const exceptions: readonly string[] = [
  '(appconfig)data',
  '(appstream)2',
  '(cloudhsm)v2',
  '(cloudsearch)domain',
  '(forecast)query',
  '(personalize)-events',
  '(personalize)-runtime',
  '(s3)-control',
  '(servicecatalog)-appregistry',
  '(sms-voice).pinpoint',
  '*-(chime|lakeformation|lex|omics)',
  '*.iot=iotdata',
  '*.marketplace=aws-marketplace',
  'api.fleethub.iot=iotfleethub',
  'api.tunneling.iot=IoTSecuredTunneling',
  'backupstorage=backup-storage',
  'contact-lens=connect',
  'data-(servicediscovery)',
  'data.iotevents=ioteventsdata',
  'email=ses',
  'iot=execute-api',
  'memory-db=memorydb',
  'migrationhub-config=mgh',
  'mobile=AWSMobileHubService',
  'participant.connect=execute-api',
  'pinpoint=mobiletargeting',
  'sync-(states)',
]

/** The label before the signing name, in the hosts of some of a service's operations. */
export const serviceParts: readonly string[] = [
  'api',
  'api-fulfill',
  'cn',
  'data',
  'dataplane',
  'devices',
  'env',
  'geofencing',
  'global',
  'maps',
  'metadata',
  'models',
  'monitor',
  'ops',
  'places',
  'projects',
  'routes',
  'runtime',
  'session',
  'streams',
  'subscribe',
  'tracking',
]

/** What names the service in hosts that name no region: it has one for the whole partition. */
export const regionless: readonly string[] = [
  'budgets',
  'cloudfront',
  'global.health',
  'iam',
  'route53',
  'savingsplans',
  'sts',
  'waf',
]
