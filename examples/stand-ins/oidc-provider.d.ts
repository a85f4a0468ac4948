/** The part of the library that the tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Model {
    readonly accountId?: string
    readonly grantId?: string
    destroy(): Promise<void>
    readonly clientId?: string
    readonly scope?: string
    readonly aud?: string | readonly string[]
    /** The thumbprint of the key that it is bound to. */
    readonly jkt?: string
  }

  interface StoredModel {
    save(): Promise<string>
  }

  interface Grant extends StoredModel {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    proxy: boolean
    callback(): RequestListener
    on(event: 'grant.revoked', listener: (context: unknown, grantId: string) => void): this
    readonly Client: { find(id: string): Promise<object | undefined> }
    readonly Grant: (new (properties: object) => Grant) & {
      find(id: string): Promise<{ destroy(): Promise<void> } | undefined>
    }
    readonly RefreshToken: new (properties: object) => StoredModel
    readonly AccessToken: { find(value: string): Promise<Model | undefined> }
    readonly ClientCredentials: { find(value: string): Promise<Model | undefined> }
  }
}
