import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { putTransaction, staleTransaction, transactionReads } from "./moveTransaction.ts"
import { OutboundTransaction, payable } from "./OutboundTransaction.ts"
import { type PurposeRules, ruleOf } from "./PurposeRule.ts"

/** For how long a signer may sign what it was asked for, by its own clock. */
const signingMs = 60_000

/** By how much the clock of the signer may be behind. */
const clocksApartMs = 60_000

/**
 * From when on it will be known whether the signer has signed a first attempt of a transaction; undefined where it is. `askedAt` is when it was
 * asked what it has signed: what it had not signed after the end of the time that it was given, it never will.
 */
export const signedUnknownUntil = (
  { signingUntil }: Pick<OutboundTransaction, "signingUntil">,
  askedAt: Timestamp
): Timestamp | undefined => {
  if (signingUntil === null) return undefined
  const end = signingUntil + clocksApartMs
  return askedAt <= end ? end + 1 : undefined
}

/** What has to hold before the signer is asked. */
export interface Asked<O> {
  readonly reads: ReadonlyArray<Read>
  /** Why it is not asked as things stand; undefined where it is. */
  readonly objection: (view: View, transaction: OutboundTransaction) => O | undefined
}

/** A first attempt that the signer is about to be asked for. */
export interface BeginSigning<O> {
  /** As it was read, and built from. */
  readonly transaction: OutboundTransaction
  /** The operations that the attempt pays. */
  readonly pays: ReadonlyArray<string>
  /** What has to hold before the signer is asked; nothing where absent. It is asked again when the signature is stored. */
  readonly conditions?: Asked<O>
  readonly purposes: PurposeRules
}

/** The time that a signer is given, or why it is not asked. */
export type Signing<O> =
  | { readonly _tag: "Asked"; readonly until: Timestamp; readonly earlier: Timestamp | null }
  | { readonly _tag: "Objected"; readonly objection: O }

/**
 * Notes that the signer is asked for a first attempt, before it is: from now on what the transaction is for cannot be cancelled or given up at once,
 * because a signature may come to be. `stale` where the transaction has moved on, or pays others than the attempt.
 */
export const beginSigning = <O = never>({
  conditions,
  pays,
  purposes,
  transaction: read
}: BeginSigning<O>): Command<Signing<O>> => ({
  name: "BeginSigning",
  reads: [...transactionReads(ruleOf(purposes, read), read), ...(conditions?.reads ?? [])],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction?.phase !== "RESERVED")
      return Result.fail(staleTransaction("The outbound transaction has moved on."))
    const now = payable(transaction)
    if (now.length !== pays.length || !now.every((id) => pays.includes(id)))
      return Result.fail(staleTransaction("The outbound transaction pays others than the transaction does."))
    const objection = conditions?.objection(view, transaction)
    if (objection !== undefined) return Result.succeed({ changes: [], reply: { _tag: "Objected", objection } })
    const earlier = signedUnknownUntil(transaction, view.now) === undefined ? null : transaction.signingUntil
    const until = Math.max(view.now + signingMs, earlier ?? 0)
    return Result.succeed({
      changes: putTransaction(view, ruleOf(purposes, transaction), {
        before: transaction,
        after: { ...transaction, signingUntil: until }
      }),
      reply: { _tag: "Asked", until, earlier }
    })
  }
})

/** An answer of the signer that it signs nothing. */
export interface EndSigning {
  readonly transaction: OutboundTransaction
  /** The time that it was given. */
  readonly until: Timestamp
  /** The end of the time that it was given before, by somebody who did not wait for the answer; null where nobody did. */
  readonly earlier: Timestamp | null
  readonly purposes: PurposeRules
}

/** Notes that the signer has refused, so that it signs nothing of what it was asked for. */
export const endSigning = ({ earlier, purposes, transaction: read, until }: EndSigning): Command<null> => ({
  name: "EndSigning",
  reads: transactionReads(ruleOf(purposes, read), read),
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction?.phase !== "RESERVED" || transaction.signingUntil !== until)
      return Result.succeed({ changes: [], reply: null })
    return Result.succeed({
      changes: putTransaction(view, ruleOf(purposes, transaction), {
        before: transaction,
        after: { ...transaction, signingUntil: earlier }
      }),
      reply: null
    })
  }
})
