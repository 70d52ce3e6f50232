import { OperatorApi } from "@bursar/api/OperatorApi"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { revokeApiKey } from "@bursar/core/access/tenantCommands"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable, submit } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { create } from "./create.ts"
import { seal } from "./seal.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** The API keys of tenants: grant, list, seal, revoke. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* Tenants
    const writer = yield* Writer
    const alone = yield* aloneHere
    return handlers.handleAll({
      create: { handler: yield* create, options },
      list: ({ params }) =>
        Effect.gen(function* () {
          const { id } = yield* findTenant(tenants, params.tenant_id)
          return { keys: (yield* orUnavailable(tenants.keys(id))).map(toWire) }
        }),
      seal: { handler: yield* seal, options },
      revoke: {
        handler: Effect.fnUntraced(function* ({ params }) {
          const tenantId = TenantId(params.tenant_id)
          const key = yield* submit(writer, tenantId, revokeApiKey(params.key_id))
          yield* alone.lowered(tenantId, { _tag: "ApiKeyRevoked", id: key.id })
          return toWire(key)
        }),
        options
      }
    })
  })
)
