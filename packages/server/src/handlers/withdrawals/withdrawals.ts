import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { create } from "./create.ts"
import { estimate } from "./estimate.ts"
import { prove } from "./prove.ts"
import { destinations, get, limit, list } from "./read.ts"

/** Sending balance to the tenant's own verified addresses, and proof of payments. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      create: yield* create,
      list: yield* list,
      estimate: yield* estimate,
      limit: yield* limit,
      get: yield* get,
      destinations: yield* destinations,
      prove: yield* prove
    })
  })
)
