import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { create } from "./create.ts"
import { registerWithProvider } from "./registerWithProvider.ts"
import { read, start } from "./verification.ts"

const options = { uninterruptible: true }

/** The tenant's end users, their identity checks, and their registration with the payout provider. What writes goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "customers",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      create: { handler: yield* create, options },
      registerWithProvider: { handler: yield* registerWithProvider, options },
      startVerification: { handler: yield* start, options },
      verification: yield* read
    })
  })
)
