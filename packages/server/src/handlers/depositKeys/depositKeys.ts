import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { wrappingAlgorithms } from "@bursar/api/wire/WrappingKey"
import { retireXpub } from "@bursar/core/address/retireXpub"
import { toIso } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../refusals.ts"
import { showing } from "../addresses/showing.ts"
import { keysOrUnavailable } from "../keysOrUnavailable.ts"
import { importKey } from "./importKey.ts"
import { registerXpub } from "./registerXpub.ts"
import { toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** The keys behind deposit addresses. What writes goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "depositKeys",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const vault = yield* Vault
    const show = yield* showing
    const { networks } = (yield* ServerConfig).currencies
    return handlers.handleAll({
      importKey: { handler: yield* importKey, options },
      wrappingKey: {
        handler: () =>
          Effect.gen(function* () {
            const { tenantId } = yield* Caller
            const { createdAt, id, publicKey } = yield* keysOrUnavailable(vault.wrappingKey(TenantId(tenantId)))
            return { id, public_key: publicKey, algorithms: wrappingAlgorithms, created_at: toIso(createdAt) }
          }),
        options
      },
      registerXpub: { handler: yield* registerXpub, options },
      listXpubs: ({ query }) =>
        Effect.gen(function* () {
          const { tenantId } = yield* Caller
          const { include_retired: includeRetired = false, network } = query
          if (network !== undefined && !networks.has(network)) return yield* apiError("unknown_network")
          const found = yield* orUnavailable(queries.xpubs(TenantId(tenantId), { network, includeRetired }))
          yield* show.xpubs(tenantId, found)
          return { xpubs: found.map(toWire) }
        }),
      retireXpub: {
        handler: ({ params }) =>
          Effect.gen(function* () {
            const { tenantId } = yield* Caller
            return toWire(yield* submit(writer, TenantId(tenantId), retireXpub(params.xpub_id)))
          }),
        options
      }
    })
  })
)
