import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { notServed } from "../later/notServed.ts"
import { list } from "./list.ts"
import { register } from "./register.ts"
import { retire } from "./retire.ts"
import { watchNow } from "./watchNow.ts"

const options = { uninterruptible: true }

/** Deposit addresses. What writes goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "depositAddresses",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      register: { handler: yield* register, options },
      list: yield* list,
      derive: notServed,
      issue: notServed,
      retire: { handler: yield* retire, options },
      sweepHold: notServed,
      watchNow: { handler: yield* watchNow, options }
    })
  })
)
