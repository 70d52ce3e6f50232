import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { create } from "./create.ts"
import { entries, get } from "./read.ts"

const options = { uninterruptible: true }

/** The fiat accounts of customers. What writes goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({ create: { handler: yield* create, options }, get: yield* get, entries: yield* entries })
  })
)
