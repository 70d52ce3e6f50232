import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { notServed } from "../later/notServed.ts"
import { limits } from "./limits.ts"
import { operationByKey } from "./operationByKey.ts"
import { whoami } from "./whoami.ts"

/** What a key is and what its idempotency keys produced. */
export const layer = HttpApiBuilder.group(PartnerApi, "introspection", (handlers) =>
  Effect.map(operationByKey, (byKey) =>
    handlers.handleAll({ whoami, limits, operationByKey: byKey, fees: notServed, currencies: notServed })
  )
)
