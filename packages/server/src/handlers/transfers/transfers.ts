import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { create } from "./create.ts"
import { get, list } from "./read.ts"

const options = { uninterruptible: true }

/** Fiat transfers. What writes goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "transfers",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({ create: { handler: yield* create, options }, list: yield* list, get: yield* get })
  })
)
