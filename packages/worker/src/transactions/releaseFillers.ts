import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { Clock, Effect } from "effect"
import { apart } from "../queue/apart.ts"
import { recoverSigned } from "./recoverSigned.ts"
import type { OwnedTransaction, Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

const sequenceOf = ({ transaction: { guard } }: OwnedTransaction): bigint =>
  guard._tag === "Sequence" ? guard.sequence : -1n

/** Whether a transaction does nothing but use a number up that others came after, and nothing of it is stored as signed. */
export const isFiller = ({ transaction: { counterId, guard, phase, purpose } }: OwnedTransaction): boolean =>
  purpose === "CANCEL" && phase === "RESERVED" && guard._tag === "Sequence" && counterId !== null

/** Whether a number is the last that its account gave by now. */
const isLast = Effect.fnUntraced(function* (
  { tenantId, transaction: { counterId } }: OwnedTransaction,
  number: bigint
) {
  if (counterId === null) return false
  const account = yield* (yield* Queries).record(tenantId, PayoutWallet, counterId)
  return account?.nextSequence === number + 1n
})

/** Gives a number back that is the last of its account and that nothing was signed under. Returns whether it could be. */
const release = Effect.fnUntraced(function* (send: Send, filler: OwnedTransaction) {
  const { tenantId, transaction } = filler
  if (!(yield* isLast(filler, sequenceOf(filler)))) return false
  const askedAt = yield* Clock.currentTimeMillis
  const found = yield* Effect.catchTag(recoverSigned(send, filler, []), "VaultError", () =>
    Effect.succeed({ _tag: "Stale" } as const)
  )
  if (found._tag !== "Nothing") return false
  const outcome = { _tag: "Hold", reason: "released", detail: "its number is free" } as const
  const { currencies } = send
  const released = yield* submitSend(
    send,
    tenantId,
    releaseTransaction({ transaction, outcome, askedAt, currencies, purposes })
  )
  return released !== null
})

/**
 * Gives numbers of a tenant back that were to be used up for a fee because others had come after them, where those were given back meanwhile: of many
 * that are refused together all are free again. Gives what is left to do.
 */
export const releaseFillers = Effect.fn("send.releaseFillers")(function* (
  send: Send,
  all: ReadonlyArray<OwnedTransaction>
) {
  // from the last number down: each that is given back makes the one before the last
  const fillers = all.toSorted((one, other) => (sequenceOf(one) > sequenceOf(other) ? -1 : 1))
  const given = new Set<string>()
  for (const filler of fillers) {
    const { tenantId, transaction } = filler
    const about = { tenant: tenantId, transaction: transaction.id }
    if ((yield* apart(about, release(send, filler))) === true) given.add(transaction.id)
  }
  return all.filter(({ transaction: { id } }) => !given.has(id))
})
