import { Signed } from "@bursar/api/middleware/Signed"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { Effect, Layer } from "effect"
import { makeRequireSignature } from "./requireSignature.ts"

/**
 * Lets only signed requests through, and tells the handler by whom they are signed. The nonce is used up in the commit of
 * what the request asks for: `handleIdempotent` does so.
 */
export const layer = Layer.effect(
  Signed,
  Effect.map(makeRequireSignature, (signature) =>
    Signed.of((app) => Effect.flatMap(signature, (verified) => Effect.provideService(app, VerifiedSignature, verified)))
  )
)
