import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { derive } from "./derive.ts"
import { issue } from "./issue.ts"
import { list } from "./list.ts"
import { register } from "./register.ts"
import { retire } from "./retire.ts"
import { sweepHold } from "./sweepHold.ts"
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
      derive: { handler: yield* derive, options },
      issue: { handler: yield* issue, options },
      retire: { handler: yield* retire, options },
      sweepHold: { handler: yield* sweepHold, options },
      watchNow: { handler: yield* watchNow, options }
    })
  })
)
