import { OperatorApi } from "@bursar/api/OperatorApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { check } from "./check.ts"
import { networks } from "./networks.ts"

/** How the networks are read, and whether the books are right. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "health",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({ networks: yield* networks, check: yield* check })
  })
)
