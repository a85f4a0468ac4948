import { authAxios } from '@svc/auth-hooks/axios'
import type { AuthScheme } from '@svc/types'
import axios, { type AxiosRequestConfig, type CreateAxiosDefaults } from 'axios'
import axios17 from 'axios17'

declare const scheme: AuthScheme

export const defaults: CreateAxiosDefaults = authAxios(scheme)
export const config: AxiosRequestConfig = authAxios(scheme)
export const api = axios.create({ baseURL: 'https://a.example', ...authAxios(scheme) })
export const call = axios.get('https://a.example', { ...authAxios(scheme), timeout: 1000 })
export const ofFetch = authAxios(scheme, { adapter: 'fetch', redirect: 'follow' })
export const ofOther = authAxios(scheme, { adapter: axios.getAdapter('http'), axios })

export const api17 = axios17.create(authAxios(scheme))
export const ofCopy = authAxios(scheme, { axios: axios17 })

// @ts-expect-error xhr follows redirects unasked
authAxios(scheme, { adapter: 'xhr' })
// @ts-expect-error one adapter, and no list to choose from
authAxios(scheme, { adapter: ['http', 'fetch'] })
// @ts-expect-error axios itself, and no instance of it
authAxios(scheme, { axios: axios.create() })
// @ts-expect-error a redirect policy is one of two words
authAxios(scheme, { redirect: 'manual' })
// @ts-expect-error a scheme has authorize
authAxios({ name: 'x', covers: () => true })
