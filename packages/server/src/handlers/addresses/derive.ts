import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { orUnavailable } from "../../refusals.ts"
import { findNetwork } from "../network.ts"
import { type Deriving, makeIndexReservations } from "./IndexReservations.ts"
import { showing } from "./showing.ts"
import { addressContext, toWire } from "./toWire.ts"

/** POST /v1/deposit-addresses/derive: the next addresses of the network's live xpub; all or none. */
export const derive = Effect.gen(function* () {
  const queries = yield* Queries
  const networks = yield* Networks
  const context = yield* addressContext
  const answer = yield* handleIdempotent
  const show = yield* showing
  const reservations = yield* makeIndexReservations

  const prepare = Effect.fnUntraced(function* (
    { adapter, place, tenantId }: Deriving,
    { count, reference }: { readonly count: number; readonly reference: string },
    attempt: number
  ) {
    const { keys, traits } = adapter
    const { name: network } = traits
    const [live] = yield* orUnavailable(queries.xpubs(tenantId, { network, includeRetired: false }))
    if (live === undefined) return deriveAddresses({ network, reference, count, prederived: null })
    // before anything is derived: addresses of another's key are not even entered
    yield* show.xpubs(tenantId, [live])
    const { canonical, id: xpubId, indexTo, nextIndex } = live
    const prederived = yield* place.prederived({
      account: canonical,
      committed: nextIndex,
      count,
      indexTo,
      attempt,
      derive: (from, length) => keys.derive(canonical, from, length)
    })
    return deriveAddresses({ network, reference, count, prederived: { ...prederived, xpubId } })
  })

  return HttpApiBuilder.handler(PartnerApi, "depositAddresses", "derive", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId, tenantKind } = yield* Caller
      const found = findNetwork(networks, tenantKind, payload.network)
      const place = yield* reservations.join(`${tenantId} ${payload.network}`)
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: (attempt) =>
          Result.isFailure(found)
            ? Effect.succeed(rejectWith("DeriveAddresses", found.failure))
            : prepare({ place, tenantId: TenantId(tenantId), adapter: found.success }, payload, attempt),
        render: ({ addresses, xpub }) => ({
          xpub_id: xpub.id,
          network: xpub.network,
          next_index: xpub.nextIndex,
          addresses: addresses.map((address) => toWire(address, context))
        }),
        shows: show.ofAccount(tenantId, "DERIVED")
      })
    }).pipe(Effect.scoped)
  )
})
