import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { Network } from "@bursar/core/money/Network"
import { Networks, parseAddress } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable } from "../../refusals.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** Addresses are kept in their canonical form; whoever asks for one may write it otherwise. */
export const canonicalAddress = (networks: Networks["Service"], network: Network | undefined, text: string): string => {
  const candidates = network === undefined ? networks.enabled : [network]
  const parsed = candidates
    .map((candidate) => Result.getSuccess(parseAddress(networks, candidate, text)))
    .find(Option.isSome)
  return parsed?.value ?? text
}

/** GET /v1/deposit-addresses: the tenant's addresses, oldest first. */
export const list = Effect.gen(function* () {
  const queries = yield* Queries
  const networks = yield* Networks
  const context = yield* addressContext
  const show = yield* showing
  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "list", ({ query }) =>
    Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const { network } = query
      if (network !== undefined && !context.networks.has(network)) return yield* apiError("unknown_network")
      const limit = query.limit ?? listLimits.depositAddresses.default
      const found = yield* orUnavailable(
        queries.addresses(TenantId(tenantId), {
          network,
          reference: query.reference,
          address: query.address === undefined ? undefined : canonicalAddress(networks, network, query.address),
          includeRetired: query.include_retired ?? false,
          after: query.after,
          limit: limit + 1
        })
      )
      if (query.after !== undefined && found.length === 0) {
        // nothing comes after the last of the tenant's addresses; after none of them, nothing can be said
        const known = yield* orUnavailable(queries.address(TenantId(tenantId), query.after))
        if (known === undefined) return yield* apiError("invalid_cursor")
      }
      const page = found.slice(0, limit)
      yield* show.records(tenantId, page)
      return {
        addresses: page.map((address) => toWire(address, context)),
        next_after: found.length > limit ? (page.at(-1)?.id ?? null) : null
      }
    })
  )
})
