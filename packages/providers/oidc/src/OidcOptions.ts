import type { IdentityUnavailable } from "@bursar/core/port/IdentityTokens"
import type { Effect } from "effect"

/** Reads a JSON document of the provider. It decides what may be reached, how long that may take and how much is read. */
export type FetchDocument = (url: string) => Effect.Effect<unknown, IdentityUnavailable>

/** Whose tokens are taken, and for whom they must be. */
export interface OidcOptions {
  /** Exactly as `iss` says it. */
  readonly issuer: string
  /** What `aud` must hold: the client id for ID tokens, the identifier of the API for access tokens. */
  readonly audience: string
  /** The clients that a token may have been given to (`azp` or `client_id`). By default the audience. */
  readonly clients?: ReadonlyArray<string>
  /** By how much the clocks of provider and service may differ. Default 5. */
  readonly clockToleranceSeconds?: number
  /** How long after its issue a token is taken, whatever its own expiry says. Default one hour. */
  readonly tokenSecondsMax?: number
  readonly fetchDocument: FetchDocument
}

/** The default of {@link OidcOptions.clockToleranceSeconds}. */
export const clockToleranceSecondsDefault = 5

/** The default of {@link OidcOptions.tokenSecondsMax}. */
export const tokenSecondsMaxDefault = 3_600

const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/u

/** Whether a URL is http on this machine, as in development. */
export const isLocalHttp = (url: string): boolean => {
  const parsed = URL.parse(url)
  return parsed?.protocol === "http:" && loopback.test(parsed.hostname)
}
