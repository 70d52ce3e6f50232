import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { QueryFlag } from "../wire/QueryParameters.ts"
import { SolvencyProof } from "../solvency/SolvencyProof.ts"
import { Uuid } from "../wire/Uuid.ts"

/** Proofs that the service owes what it says, and has it. */
export class SolvencyGroup extends HttpApiGroup.make("solvency")
  .add(
    HttpApiEndpoint.get("proof", "/v1/solvency", {
      query: { snapshot: Schema.optionalKey(Uuid), document: Schema.optionalKey(QueryFlag) },
      success: SolvencyProof,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "register:read",
        built: true,
        summary: "Get a proof of solvency",
        description:
          "Your leaf in the Merkle sum tree of each currency, by the latest snapshot that was published or by the one that you name, with the path that leads from it to the published root. With `document=true` the answer holds the public document too, without which it does not verify: get it here, or from where it was published.",
        refuses: ["not_found"]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Solvency",
      description:
        "Proofs of reserves and liabilities. An addition to the contract: you can verify that what you are owed was counted, and compare it with what is there."
    })
  ) {}
