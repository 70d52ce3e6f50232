import type { ChainError } from "@bursar/core/port/Chain"
import type { TransactionStatus, SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { type CheckedLedger, readEnd, readEndLedger } from "../read/readLedger.ts"
import { type Found, findTransaction } from "./findTransaction.ts"
import { decodeSigned, hashOf, type StellarPayment } from "../build/StellarPayment.ts"
import { readAccount } from "../build/readAccount.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { sequenceHistory } from "./sequenceHistory.ts"

type Sequence = SendOrder["guard"] & { readonly _tag: "Sequence" }

const doing = "follow an order"

/** What was signed, read from the stored bytes. What does not fit its hash or the order is a bug, not an answer of the chain. */
const plainOf = (
  passphrase: string,
  { account, sequence: number }: Sequence,
  { hash, raw }: SignedAttempt
): StellarPayment => {
  const read = Result.getOrThrowWith(decodeSigned(raw, passphrase), (reason) => new Error(`${hash}: ${reason}`))
  if (hashOf(read) !== hash) throw new Error(`the stored bytes are not those of ${hash}`)
  const { stellarPayment } = read
  if (stellarPayment.source !== account || stellarPayment.sequence !== number)
    throw new Error(`${hash} uses up another sequence number`)
  return stellarPayment
}

/** Whether a transaction did what it was for. What succeeded without the payment, or the agreement, is for a person to look at. */
const effectOf = Effect.fnUntraced(function* (
  { http }: SenderContext,
  { action }: StellarPayment,
  { successful, transfers }: Found,
  latest: CheckedLedger
): Effect.fn.Return<"done" | "reverted" | "missing", ChainError> {
  if (!successful) return "reverted"
  if (action._tag === "Nothing") return "done"
  if (action._tag === "Trust") {
    const { contracts, from } = action
    const account = yield* readAccount(http, from, latest)
    return contracts.every((contract) => account?.lines.has(contract) === true) ? "done" : "missing"
  }
  const asset = action._tag === "Pay" ? action.contract : null
  return transfers.some(
    ({ contract, from, to, units }) =>
      contract === asset && from === action.from && to === action.to && units === action.units
  )
    ? "done"
    : "missing"
})

/**
 * Proves that transactions which have expired are in no ledger: the node's history reaches back to before the first of them could
 * be in any, it finds none of them by its hash, and none is among those of the account whose number they use, up to a ledger (the
 * node says which, as `Latest-Ledger`) that closed after the last of them became void.
 */
const proveExpired = Effect.fnUntraced(function* (
  context: SenderContext,
  { account, sequence: number }: Sequence,
  {
    latest,
    sequence,
    transactions
  }: {
    readonly transactions: ReadonlyArray<readonly [string, StellarPayment]>
    readonly latest: CheckedLedger
    /** That of the account in that ledger, null where it is not there. */
    readonly sequence: bigint | null
  }
): Effect.fn.Return<TransactionStatus, ChainError> {
  const began = Math.min(...transactions.map(([, { minTime }]) => minTime)) * 1_000
  const oldest = yield* readEnd(context.http, "oldest")
  if (oldest.time > began) {
    return yield* inconsistent(doing, `the node's history begins with ledger ${oldest.number}, after it was signed`)
  }
  const { complete, through, uses } = yield* sequenceHistory(context, account, number)
  if (through === undefined || through < latest.ref.number) {
    const upTo = through === undefined ? "an unknown ledger" : `ledger ${through}`
    return yield* inconsistent(doing, `the history is up to ${upTo}, and ledger ${latest.ref.number} is asked for`)
  }
  if (!complete)
    return yield* inconsistent(
      doing,
      `the history of ${account} is too long to be read at once: it is read on next time`
    )
  const own = uses.find(({ inner }) => transactions.some(([hash]) => hash === inner))
  if (own !== undefined) return yield* inconsistent(doing, `${own.inner} is in history, yet not found by its hash`)
  // Both are answers about the same account, and must agree on whether the number was used.
  if (sequence !== null && sequence >= number !== uses.length > 0) {
    return yield* inconsistent(doing, `the account's number is ${sequence}, which its transactions contradict`)
  }
  return {
    _tag: "Invalidated",
    reason: "expired_unsent",
    by: null,
    detail: `void before ledger ${latest.ref.number} closed, and in none from ${oldest.number} to it`
  }
})

/** What follows for an order none of whose transactions is in a ledger. */
const unseen = Effect.fnUntraced(function* (
  context: SenderContext,
  guard: Sequence,
  transactions: ReadonlyArray<readonly [string, StellarPayment]>,
  latest: CheckedLedger
): Effect.fn.Return<TransactionStatus, ChainError> {
  const { account, sequence: number } = guard
  const sequence = (yield* readAccount(context.http, account, latest))?.sequence ?? null
  if (sequence !== null && sequence >= number) {
    const { uses } = yield* sequenceHistory(context, account, number)
    const use = uses.find((each) => each.sequence === number)
    if (use !== undefined && transactions.some(([hash]) => hash === use.inner)) {
      return yield* inconsistent(doing, `${use.inner} is in history, yet not found by its hash`)
    }
    if (use !== undefined) {
      const detail = `sequence number ${number} of ${account} was used up by ${use.inner}`
      return { _tag: "Invalidated", reason: "replaced_on_chain", by: use.inner, detail }
    }
  }
  const until = Math.max(...transactions.map(([, { maxTime }]) => maxTime)) * 1_000
  return transactions.length > 0 && latest.ref.time > until
    ? yield* proveExpired(context, guard, { transactions, latest, sequence })
    : { _tag: "Pending", known: false }
})

/**
 * What became of the transactions that share a sequence number.
 *
 * **Details**
 *
 * A closed ledger is final. One of them is in a ledger, whether it succeeded or failed, or none can be any more: because another
 * transaction has used up the number, or because a ledger has closed after the last of them became void and none is in a history that
 * covers the time in which it could have been. Whether a node holds one that waits, Horizon does not say.
 */
export const readStatus = Effect.fn("StellarSender.fate")(function* (
  context: SenderContext,
  { guard }: Pick<SendOrder, "from" | "guard">,
  sent: ReadonlyArray<SignedAttempt>
): Effect.fn.Return<TransactionStatus, ChainError> {
  if (guard._tag !== "Sequence") throw new Error(`a sequence number is used up on stellar, not ${guard._tag}`)
  const transactions = sent.map((each) => [each.hash, plainOf(context.networkPassphrase, guard, each)] as const)
  const latest = yield* readEndLedger(context.http, "latest")
  const finals: Array<TransactionStatus & { readonly _tag: "Final" }> = []
  for (const [hash, stellarPayment] of transactions) {
    const found = yield* findTransaction(context, hash)
    if (found === undefined) continue
    const { block, fee } = found
    const effect = yield* effectOf(context, stellarPayment, found, latest)
    finals.push({ _tag: "Final", hash, blockNumber: block.number, blockTime: block.time, fee, effect })
  }
  const [final, another] = finals
  if (another !== undefined) return yield* inconsistent(doing, "two transactions of one sequence number are in ledgers")
  return final ?? (yield* unseen(context, guard, transactions, latest))
})
