/**
 * Tells if a service signs as S3 does: the path encoded once, the payload hash in a header, and none in a presigned
 * URL. The name of the service is in the scope.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function isS3Service(service: string): boolean {
  return /^s3(?:express|-object-lambda|-outposts)?$/.test(service)
}
