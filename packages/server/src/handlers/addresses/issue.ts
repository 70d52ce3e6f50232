import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { indexMax } from "@bursar/core/address/Xpub"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { orUnavailable } from "../../refusals.ts"
import { findNetwork } from "../network.ts"
import { keysOrUnavailable } from "../keysOrUnavailable.ts"
import { type Deriving, makeIndexReservations } from "./IndexReservations.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/issue: the next addresses of the tenant's own seed, which the vault keeps; all or none. */
export const issue = Effect.gen(function* () {
  const queries = yield* Queries
  const networks = yield* Networks
  const vault = yield* Vault
  const context = yield* addressContext
  const answer = yield* handleIdempotent
  const reservations = yield* makeIndexReservations

  /** The account as it stands, or as it begins. */
  const accountOf = Effect.fnUntraced(function* (tenantId: TenantId, { keys, traits }: NetworkAdapter) {
    const known = yield* orUnavailable(queries.issuingAccount(tenantId, traits.family))
    if (known !== undefined) return known
    const seedId = yield* keysOrUnavailable(vault.createSeed(tenantId))
    const publicSide = yield* keysOrUnavailable(vault.publicAccount(tenantId, seedId, traits.name))
    const [accountKey] = traits.issues === "muxed" ? keys.addressesOf(Buffer.from(publicSide, "hex")) : [publicSide]
    return accountKey === undefined ? yield* apiError("product_not_enabled") : { seedId, accountKey, nextIndex: 0 }
  })

  const prepare = Effect.fnUntraced(function* (
    { adapter, place, tenantId }: Deriving,
    { count, reference }: { readonly count: number; readonly reference: string },
    attempt: number
  ) {
    const { accountKey, nextIndex, seedId } = yield* accountOf(tenantId, adapter)
    const prederived = yield* place.prederived({
      account: accountKey,
      committed: nextIndex,
      count,
      indexTo: indexMax,
      attempt,
      derive: (from, length) => adapter.keys.derive(accountKey, from, length)
    })
    const { name: network } = adapter.traits
    const accountName = adapter.keys.accountKeyName(accountKey)
    return issueAddresses(
      { network, reference, count, prederived: { ...prederived, seedId, accountKey, accountName } },
      context.networks
    )
  })

  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "issue", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId, tenantKind: kind } = yield* Caller
      const found = findNetwork(networks, kind, payload.network)
      const family = Result.isSuccess(found) ? found.success.traits.family : ""
      const place = yield* reservations.join(`${tenantId} ${family}`)
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: (attempt) =>
          Result.isFailure(found)
            ? Effect.succeed(rejectWith("IssueAddresses", found.failure))
            : prepare({ place, tenantId: TenantId(tenantId), adapter: found.success }, payload, attempt),
        render: ({ account, addresses }) => ({
          seed_id: account.seedId,
          network: payload.network,
          next_index: account.nextIndex,
          addresses: addresses.map((address) => toWire(address, context))
        })
      })
    }).pipe(Effect.scoped)
  )
})
