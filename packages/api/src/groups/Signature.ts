import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { SignatureCheck, SignedProbe } from "../wire/SignatureCheck.ts"

/** A place to try request signing. */
export class SignatureGroup extends HttpApiGroup.make("signature")
  .add(
    HttpApiEndpoint.post("verify", "/v1/signature/verify", {
      payload: SignedProbe,
      success: SignatureCheck,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: null,
        built: true,
        summary: "Try a signature",
        description:
          "Verifies the signature of this request as a signed operation would, and answers what is wrong and the computed signature base. Send it with the headers of a signed operation, including `Idempotency-Key`. The nonce is not used up and nothing is stored."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Signature", description: "A place to try request signing." })) {}
