import { Operator } from "@bursar/api/operator/Operator"
import { apiError } from "@bursar/api/errors/ApiError"
import { Writer } from "@bursar/core/engine/Writer"
import type { ExpediteAction } from "@bursar/core/transaction/OutboundTransaction"
import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import { Queries } from "@bursar/core/store/Queries"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { tellAssigned } from "@bursar/core/operation/tellAssigned"
import { tellShort } from "@bursar/core/operation/tellShort"
import { Effect } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit, submitPrepared } from "../../../refusals.ts"
import { shownCurrencies } from "../../../wire/shownCurrencies.ts"
import { invalidField } from "../found.ts"
import { networkTraits } from "../networkTraits.ts"
import { approvalByGrants } from "../reviews/approvalByGrants.ts"
import { makeCancelling } from "./cancelling.ts"
import { makeRefuseSigned } from "../reviews/refuseSigned.ts"
import { payoutToWire } from "./toWire.ts"
import { findPayout } from "./wholePayout.ts"

/** A payout as the path names it. */
interface PayoutParams {
  readonly tenant_id: string
  readonly payout_id: string
}

/** An operator's word on a payout that waits for it. */
interface Review {
  readonly verdict: "APPROVE" | "REJECT"
  readonly reason: string | null
}

/** Evidence that an operator gives of what became of a payout. */
interface Evidence {
  readonly note: string
  readonly txHash: string | null
}

/** What operators do to a payout, each answered with the payout as it is then. */
export const makePayoutActions = Effect.gen(function* () {
  const writer = yield* Writer
  const queries = yield* Queries
  const { currencies } = yield* ServerConfig
  const { asKnown } = yield* shownCurrencies
  const cancelling = yield* makeCancelling
  const refuseSigned = yield* makeRefuseSigned
  const approval = yield* approvalByGrants

  const found = (params: PayoutParams) => findPayout(queries, TenantId(params.tenant_id), params.payout_id)
  const shown = (params: PayoutParams) =>
    Effect.flatMap(found(params), (one) => Effect.map(asKnown([one.operation]), (known) => payoutToWire(one, known)))

  const existing = Effect.fnUntraced(function* (params: PayoutParams) {
    const { payout, ...rest } = yield* found(params)
    return payout === undefined ? yield* apiError("not_found") : { ...rest, payout }
  })

  const review = Effect.fnUntraced(function* (params: PayoutParams, { reason, verdict }: Review) {
    const { name: by } = yield* Operator
    const { operation } = yield* existing(params)
    const given = yield* orUnavailable(hashesGiven(queries, operation.tenantId, operation.id))
    const known = yield* asKnown([operation])
    yield* verdict === "APPROVE" ? approval(operation) : refuseSigned(operation, known)
    const command = reviewOperation({ operation, verdict, given, by, reason, currencies: known })
    yield* submit(writer, operation.tenantId, command)
    return yield* shown(params)
  })

  const expedite = Effect.fnUntraced(function* (params: PayoutParams, request: ExpediteAction) {
    yield* submitPrepared(writer, TenantId(params.tenant_id), () =>
      Effect.map(existing(params), ({ payout, transaction }) => expeditePayout({ payout, transaction, request }))
    )
    return yield* shown(params)
  })

  const giveEvidence = Effect.fnUntraced(function* (params: PayoutParams, { note, txHash: given }: Evidence) {
    const { name: by } = yield* Operator
    yield* submitPrepared(
      writer,
      TenantId(params.tenant_id),
      Effect.fnUntraced(function* () {
        const { payout } = yield* existing(params)
        const txHash =
          given === null ? null : canonicalHash(yield* networkTraits(currencies.networks, payout.network), given)
        if (txHash === undefined) return yield* invalidField("tx_hash", "Expected 32 bytes in hexadecimal.")
        const before = yield* orUnavailable(
          givenBefore(queries, TenantId(params.tenant_id), { network: payout.network, payout, txHash })
        )
        return attachEvidence({ payout, txHash, note, by, before })
      })
    )
    return yield* shown(params)
  })

  const cancel = Effect.fnUntraced(function* (params: PayoutParams) {
    const { name: by } = yield* Operator
    const { assigned, state, takenBack } = yield* submitPrepared(
      writer,
      TenantId(params.tenant_id),
      Effect.fnUntraced(function* () {
        const whole = yield* existing(params)
        return yield* cancelling(whole, { by, currencies: yield* asKnown([whole.operation]) })
      })
    )
    yield* tellAssigned(TenantId(params.tenant_id), assigned)
    yield* tellShort(takenBack)
    return { state, payout: yield* shown(params) }
  })

  return { cancel, expedite, giveEvidence, review, shown }
})
