import type { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import { storableTransfer } from "@bursar/core/custody/storableAnswer"
import type { FiatProvider, TransferState } from "@bursar/core/port/FiatProvider"
import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { type PayerSeen, refundSourceOf } from "@bursar/core/transfer/refund"
import { transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { transferSentAt } from "@bursar/core/transfer/transferQueue"
import { Effect } from "effect"
import { defectAsUnknown } from "../queue/defectAsUnknown.ts"

/** What is said about the order that was asked about: an answer about another one is none. */
const ofOrder = (by: string | null, answer: ProviderResult<TransferState>): ProviderResult<TransferState> =>
  answer._tag === "Done" && by !== null && answer.value.providerReference !== by
    ? unknown(`the provider answered with order ${answer.value.providerReference}, asked about ${by}`)
    : answer

/**
 * Asks the provider whose money a refund pays back, by each id of its ON_RAMP, before the refund is sent: all that it tells counts. Undefined for what
 * is no refund, and for one that was sent: that is a fact.
 */
export const lookAtPayer = Effect.fn("fiat.lookAtPayer")(function* (
  tenantId: TenantId,
  read: Operation,
  fiats: ReadonlyArray<FiatProvider["Service"]>
): Effect.fn.Return<ReadonlyArray<PayerSeen> | undefined, StorageError, Queries> {
  const id = refundSourceOf(read)
  if (id === undefined || transferSentAt(read) !== null) return undefined
  const notKnown = (detail: string): ReadonlyArray<PayerSeen> => [{ _tag: "Unknown", source: id, detail }]
  const source = yield* (yield* Queries).operation(tenantId, id)
  const order = source?.kind === "ON_RAMP" ? transferOrderOf(source) : undefined
  if (source === undefined || order === undefined) return notKnown("it pays back no ON_RAMP")
  const fiat = fiats.find(({ name }) => name === source.provider)
  if (fiat === undefined)
    return notKnown(`its ON_RAMP is of ${source.provider ?? "no provider"}, which is not configured`)
  const answers = yield* Effect.forEach(orderIds(source), (by) =>
    Effect.map(defectAsUnknown(fiat.transfer(order, by)), (answer) => ofOrder(by, storableTransfer(answer)))
  )
  // it may not know the id that operators have stated, but has to know its own, which is the last
  const its = answers.at(-1)
  if (its?._tag === "Unknown") return notKnown(its.detail)
  const told = answers.flatMap((one) => (one._tag === "Done" ? [one.value] : []))
  if (told.length === 0 && its?._tag === "Refused")
    return notKnown(`the provider knows of no such ON_RAMP: ${its.reason}`)
  return told.map(({ providerReference, received, returned, sender, status }): PayerSeen => ({
    _tag: "Told",
    source: id,
    providerReference,
    status,
    sender,
    received,
    returned
  }))
})
