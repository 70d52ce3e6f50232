import { Queries } from "@bursar/core/store/Queries"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** Where a process says how it is, to anybody. */
export const healthPaths = { live: "/health/live", ready: "/health/ready" } as const

const answer = (status: number, text: string) => HttpServerResponse.jsonUnsafe({ status: text }, { status })

/** For how long the storage may take to answer before the process counts as not ready. */
const patience = "3 seconds"

/** `live`: the process answers. `ready`: it reaches its storage, too; 503 where it does not. */
export const layer = Layer.unwrap(
  Effect.map(Queries, (queries) =>
    Layer.mergeAll(
      HttpRouter.add("GET", healthPaths.live, answer(200, "live")),
      HttpRouter.add(
        "GET",
        healthPaths.ready,
        queries.heights.pipe(
          Effect.timeout(patience),
          Effect.match({
            onFailure: () => answer(503, "the storage does not answer"),
            onSuccess: () => answer(200, "ready")
          })
        )
      )
    )
  )
)
