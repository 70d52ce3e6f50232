import { IdentityUnavailable } from "@bursar/core/port/IdentityTokens"
import { Effect } from "effect"

/** Reads a document of the provider, as a service does without guards. */
export const fetchJson = (url: string) =>
  Effect.tryPromise({
    try: () => fetch(url).then((response): Promise<unknown> => response.json()),
    catch: () => new IdentityUnavailable({ reason: "the identity provider does not answer" })
  })
