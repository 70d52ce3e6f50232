import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { currencies } from "./currencies.ts"
import { fees } from "./fees.ts"
import { limits } from "./limits.ts"
import { operationByKey } from "./operationByKey.ts"
import { whoami } from "./whoami.ts"

/** What a key is, what it may do, and what its idempotency keys produced. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "introspection",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      whoami: yield* whoami,
      limits: yield* limits,
      operationByKey: yield* operationByKey,
      fees: yield* fees,
      currencies: yield* currencies
    })
  })
)
