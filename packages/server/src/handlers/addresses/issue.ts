import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { indexMax } from "@bursar/core/address/Xpub"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { Networks } from "@bursar/core/port/Networks"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { findNetwork } from "../network.ts"
import { makeAccountToIssueFrom } from "./accountToIssueFrom.ts"
import { type Deriving, makeIndexReservations } from "./IndexReservations.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/issue: the next addresses of the tenant's own seed, which the vault keeps; all or none. */
export const issue = Effect.gen(function* () {
  const networks = yield* Networks
  const accountOf = yield* makeAccountToIssueFrom
  const context = yield* addressContext
  const answer = yield* handleIdempotent
  const show = yield* showing
  const reservations = yield* makeIndexReservations

  const prepare = Effect.fnUntraced(function* (
    { adapter, place, tenantId }: Deriving,
    { count, reference }: { readonly count: number; readonly reference: string },
    attempt: number
  ) {
    const { accountKey, nextIndex, seedId } = yield* accountOf(tenantId, adapter)
    yield* show.issuing(tenantId, adapter.traits, { accountKey, seedId })
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
        }),
        shows: show.ofAccount(tenantId, "ISSUED")
      })
    }).pipe(Effect.scoped)
  )
})
