import { SignedByPolicy } from "@bursar/api/annotations/SignedProduct"
import { PolicySigned } from "@bursar/api/middleware/PolicySigned"
import { VerifiedSignature } from "@bursar/api/middleware/VerifiedSignature"
import { Context, Effect, Layer } from "effect"
import { CurrentRequest } from "../http/CurrentRequest.ts"
import { makeRequireSignature } from "./requireSignature.ts"

/**
 * Lets only signed requests through where the tenant's policy demands that, and tells the handler by whom they are signed. The contract
 * says which endpoints it may be demanded of; the policy is the one that the key was checked with.
 */
export const layer = Layer.effect(
  PolicySigned,
  Effect.map(makeRequireSignature, (signature) =>
    PolicySigned.of((app, { endpoint }) => {
      const product = Context.get(endpoint.annotations, SignedByPolicy)
      if (product === null) return app
      return Effect.gen(function* () {
        const { tenant } = yield* CurrentRequest
        if (tenant?.policy.signaturesRequired.includes(product) !== true) return yield* app
        return yield* Effect.provideService(app, VerifiedSignature, yield* signature)
      })
    })
  )
)
