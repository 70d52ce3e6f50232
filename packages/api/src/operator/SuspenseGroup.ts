import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { Uuid } from "../wire/Uuid.ts"
import { operatorRoute } from "./operatorRoute.ts"
import { Suspense } from "./OperatorSuspense.ts"

/** What arrived and cannot be given to anybody. */
export class SuspenseGroup extends HttpApiGroup.make("suspense")
  .add(
    HttpApiEndpoint.get("list", "/tenants/:tenant_id/suspense", {
      params: { tenant_id: Uuid },
      success: Suspense,
      error: wireErrors
    }).annotateMerge(
      operatorRoute(
        "Read the suspense account",
        "What arrived and is for nobody, by currency, and the newest 100 lines of each. Give it to the tenant by an adjustment against `suspense`.",
        ["not_found"]
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Suspense", description: "What arrived and cannot be given to anybody." })
  ) {}
