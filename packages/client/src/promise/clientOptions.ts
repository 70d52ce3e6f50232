import { PrivateJwk } from "@bursar/api/signature/Ed25519"
import { Schema } from "effect"
import type { PatienceOptions } from "../call/CallSettings.ts"

/** What a client is made of. */
export interface ClientOptions extends PatienceOptions {
  /** The base address, such as `https://api.example.com`, without user name and password. */
  readonly baseUrl: string | URL
  /** The API key, as the operators showed it. */
  readonly apiKey: string
  /**
   * The Ed25519 pair as a JWK, for operations that must be signed; its public half has been registered by the operators
   * for this API key. Without it they are answered `signature_missing`.
   */
  readonly signingKey?: PrivateJwk | JsonWebKey | undefined
  /** What to send requests with; the runtime's own `fetch` unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

const readBaseUrl = (baseUrl: string | URL): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const more = url === undefined ? "" : `${url.username}${url.password}${url.search}${url.hash}`
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || more !== "") {
    // fetch takes no password in an address, and would show it
    throw new TypeError("baseUrl must be an http or https address without user name, password, query and fragment.")
  }
  return url.href.replace(/\/+$/u, "")
}

const readApiKey = (apiKey: unknown): string => {
  // what stands in a header, so that no mistake shows as a broken connection
  if (typeof apiKey === "string" && /^[\x21-\x7e]+$/u.test(apiKey)) return apiKey
  throw new TypeError("apiKey must be the API key as the operators showed it.")
}

const isPrivateJwk = Schema.is(PrivateJwk)

const readSigningKey = (key: unknown): PrivateJwk | undefined => {
  if (key === undefined || isPrivateJwk(key)) return key
  // what is wrong is not said: it would show the key
  throw new TypeError("signingKey must be an Ed25519 private key as a JWK.")
}

/** The options of a client, read. Throws a `TypeError` for what can be no client. */
export const readClientOptions = ({ apiKey, baseUrl, fetch, signingKey }: ClientOptions) => ({
  baseUrl: readBaseUrl(baseUrl),
  apiKey: readApiKey(apiKey),
  signingKey: readSigningKey(signingKey),
  fetch
})
