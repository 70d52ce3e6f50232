import { Effect } from "effect"
import type { MakeCheck } from "../http/Arrived.ts"
import { makeRequireSignature } from "./requireSignature.ts"

/**
 * Lets only signed requests through, and notes by whom they are signed. The nonce is used up in the commit of
 * what the request asks for: `handleIdempotent` does so.
 */
export const make = Effect.map(
  makeRequireSignature,
  (requireSignature): MakeCheck =>
    () =>
      requireSignature
)
