// Written by `pnpm hosts` of this package, from the rules of endpoints in botocore: the exceptions alone.

/**
 * Signing names that are not the only label before the region. `*.` stands for one label, where a service has several
 * hosts that all have one signing name.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
export const exceptions: Readonly<Record<string, string>> = {
  '*.iot': 'iotdata',
  '*.iot1click': 'iot1click',
  '*.lex': 'lex',
  '*.marketplace': 'aws-marketplace',
  '*.sagemaker': 'sagemaker',
  '*.timestream': 'timestream',
  'api.detective': 'detective',
  'api.ecr': 'ecr',
  'api.ecr-public': 'ecr-public',
  'api.elastic-inference': 'elastic-inference',
  'api.fleethub.iot': 'iotfleethub',
  'api.iotdeviceadvisor': 'iotdeviceadvisor',
  'api.iotwireless': 'iotwireless',
  'api.mediatailor': 'mediatailor',
  'api.pricing': 'pricing',
  'api.tunneling.iot': 'IoTSecuredTunneling',
  appconfigdata: 'appconfig',
  appstream2: 'appstream',
  backupstorage: 'backup-storage',
  cloudhsmv2: 'cloudhsm',
  cloudsearchdomain: 'cloudsearch',
  'cn.transcribe': 'transcribe',
  'contact-lens': 'connect',
  'data.iotevents': 'ioteventsdata',
  'data.jobs.iot': 'iot-jobs-data',
  'data.mediastore': 'mediastore',
  email: 'ses',
  forecastquery: 'forecast',
  'global.health': 'health',
  'identity-chime': 'chime',
  iot: 'execute-api',
  'media-pipelines-chime': 'chime',
  'meetings-chime': 'chime',
  'memory-db': 'memorydb',
  'messaging-chime': 'chime',
  'migrationhub-config': 'mgh',
  mobile: 'AWSMobileHubService',
  'models-v2-lex': 'lex',
  oidc: 'awsssooidc',
  'participant.connect': 'execute-api',
  'personalize-events': 'personalize',
  'personalize-runtime': 'personalize',
  pinpoint: 'mobiletargeting',
  'portal.sso': 'awsssoportal',
  'runtime-v2-lex': 'lex',
  's3-control': 's3',
  'servicecatalog-appregistry': 'servicecatalog',
  'session.qldb': 'qldb',
  'sms-voice.pinpoint': 'sms-voice',
  'streams.dynamodb': 'dynamodb',
  'subscribe.mediaconvert': 'mediaconvert',
  'voice-chime': 'chime',
}

/** Services with a host that names no region. */
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
