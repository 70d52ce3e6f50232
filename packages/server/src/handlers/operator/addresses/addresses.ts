import { OperatorApi } from "@bursar/api/OperatorApi"
import { holdByOperator, releaseByOperator } from "@bursar/core/address/sweepHold"
import { Writer } from "@bursar/core/engine/Writer"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { unstorableText } from "../../../idempotency/canonicalJson.ts"
import { submit } from "../../../refusals.ts"
import { toWire } from "../../addresses/toWire.ts"
import { invalidField } from "../found.ts"

const options = { uninterruptible: true }

/** The operators' holds on deposit addresses. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "addresses",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const { enabled } = yield* AddressFormats
    const { serviceName } = yield* ServerConfig
    const context = { serviceName, enabled }
    return handlers.handleAll({
      hold: {
        handler: ({ params, payload }) =>
          Effect.gen(function* () {
            const problem = unstorableText(payload)
            if (problem !== undefined) return yield* invalidField("reason", problem.message)
            const command = holdByOperator(params.address_id, payload.reason)
            return toWire(yield* submit(writer, TenantId(params.tenant_id), command), context)
          }),
        options
      },
      release: {
        handler: ({ params }) =>
          Effect.map(submit(writer, TenantId(params.tenant_id), releaseByOperator(params.address_id)), (address) =>
            toWire(address, context)
          ),
        options
      }
    })
  })
)
