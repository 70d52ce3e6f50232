import { OperatorApi } from "@bursar/api/OperatorApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { check } from "./check.ts"
import { networks, resumePayouts, stopPayouts } from "./networks.ts"
import { providers } from "./providers.ts"

const options = { uninterruptible: true }

/** How the networks are read, and whether the books are right. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "health",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      networks: yield* networks,
      stopPayouts: { handler: yield* stopPayouts, options },
      resumePayouts: { handler: yield* resumePayouts, options },
      providers: yield* providers,
      check: yield* check
    })
  })
)
