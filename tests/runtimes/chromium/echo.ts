/** A request as the server of the page saw it. */
export interface Echo {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Reads what the server of the page tells of a request. */
export async function readEcho(response: Response): Promise<Echo> {
  // The server of this very package wrote it.
  return (await response.json()) as Echo
}
