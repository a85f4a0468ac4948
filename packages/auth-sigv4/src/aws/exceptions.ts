// Written by `pnpm hosts` of this package, from the rules of endpoints in botocore.

/**
 * What names the service in a host, where that is neither one label alone, the signing name, nor `api.` before it.
 * `*.` stands for one label, `*-` for the beginning of one. The signing name stands behind `=`, unless it is the last label.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export const exceptions: readonly string[] = [
  '*-chime=chime',
  '*-lex=lex',
  '*.iot1click',
  '*.iot=iotdata',
  '*.lex',
  '*.marketplace=aws-marketplace',
  '*.sagemaker',
  '*.timestream',
  'api.fleethub.iot=iotfleethub',
  'api.tunneling.iot=IoTSecuredTunneling',
  'appconfigdata=appconfig',
  'appstream2=appstream',
  'backupstorage=backup-storage',
  'cloudhsmv2=cloudhsm',
  'cloudsearchdomain=cloudsearch',
  'cn.transcribe',
  'contact-lens=connect',
  'data.iotevents=ioteventsdata',
  'data.jobs.iot=iot-jobs-data',
  'data.mediastore',
  'email=ses',
  'forecastquery=forecast',
  'global.health',
  'iot=execute-api',
  'memory-db=memorydb',
  'migrationhub-config=mgh',
  'mobile=AWSMobileHubService',
  'oidc=awsssooidc',
  'participant.connect=execute-api',
  'personalize-events=personalize',
  'personalize-runtime=personalize',
  'pinpoint=mobiletargeting',
  'portal.sso=awsssoportal',
  's3-control=s3',
  'servicecatalog-appregistry=servicecatalog',
  'session.qldb',
  'sms-voice.pinpoint=sms-voice',
  'streams.dynamodb',
  'subscribe.mediaconvert',
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
