import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { float } from "./float.ts"
import { intakeCost } from "./intakeCost.ts"
import { list } from "./list.ts"
import { movements } from "./movements.ts"
import { statement } from "./statement.ts"
import { summary } from "./summary.ts"

/** The balance, its statement, and the register of all operations. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "register",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      float: yield* float,
      statement: yield* statement,
      list: yield* list,
      summary: yield* summary,
      movements: yield* movements,
      intakeCost: yield* intakeCost
    })
  })
)
