/** An instant as it stands in `x-amz-date`: `20130524T000000Z`. */
export function amzDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
}
