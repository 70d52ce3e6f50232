import type { ChainError } from "@bursar/core/port/Chain"
import type { TransactionStatus, SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { type CheckedLedger, readEnd, readEndLedger } from "../read/readLedger.ts"
import { type Found, findTransaction } from "./findTransaction.ts"
import { decodeSigned, hashOf, type StellarPayment } from "../build/StellarPayment.ts"
import { readAccount, readStanding, type Standing } from "../build/readAccount.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { sequenceHistory, type Uses } from "./sequenceHistory.ts"

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

/** What is known of an order none of whose transactions was found by its hash. */
interface Unseen {
  readonly transactions: ReadonlyArray<readonly [string, StellarPayment]>
  readonly latest: CheckedLedger
  readonly standing: Standing
}

const expired = ({ latest }: Unseen, detail: string): TransactionStatus => ({
  _tag: "Invalidated",
  reason: "expired_unsent",
  by: null,
  detail: `void before ledger ${latest.ref.number} closed, ${detail}`
})

/**
 * Proves that transactions which have expired are in no ledger, where the account's number is at or past theirs, or the account is gone: its history has
 * to show why. What used up a number from theirs on, or an operation that leapt over it, shows that history reaches past all that could have used the
 * number; it is believed where it is whole, and begins before the first of them could be in any ledger.
 */
const provePassedOver = Effect.fnUntraced(function* (
  context: SenderContext,
  account: string,
  unseen: Unseen,
  { complete, leapt, uses }: Uses
): Effect.fn.Return<TransactionStatus, ChainError> {
  const { standing, transactions } = unseen
  const own = uses.find(({ inner }) => transactions.some(([hash]) => hash === inner))
  if (own !== undefined) return yield* inconsistent(doing, `${own.inner} is in history, yet not found by its hash`)
  const began = Math.min(...transactions.map(([, { minTime }]) => minTime)) * 1_000
  const oldest = yield* readEnd(context.http, "oldest")
  if (oldest.time > began) {
    return yield* inconsistent(doing, `the node's history begins with ledger ${oldest.number}, after it was signed`)
  }
  if (!complete)
    return yield* inconsistent(
      doing,
      `the history of ${account} is too long to be read at once: it is read on next time`
    )
  // Both are answers about the same account, and must agree on whether the number was used.
  if (uses.length === 0 && !leapt) {
    const { account: held, through } = standing
    return yield* inconsistent(
      doing,
      `the account's number is ${held?.sequence ?? "none"} in ledger ${through}, which its transactions contradict`
    )
  }
  return expired(unseen, `and in none from ${oldest.number} to where its number was leapt over`)
})

/** What follows for an order none of whose transactions is in a ledger. */
const whereUnseen = Effect.fnUntraced(function* (
  context: SenderContext,
  { account, sequence: number }: Sequence,
  transactions: ReadonlyArray<readonly [string, StellarPayment]>,
  latest: CheckedLedger
): Effect.fn.Return<TransactionStatus, ChainError> {
  const standing = yield* readStanding(context.http, account, latest)
  const { through } = standing
  const sequence = standing.account?.sequence ?? null
  const until = Math.max(...transactions.map(([, { maxTime }]) => maxTime)) * 1_000
  const isVoid = transactions.length > 0 && latest.ref.time > until
  const isPast = sequence !== null && sequence >= number
  if (!isPast && !isVoid) return { _tag: "Pending", known: false }
  const unsaid = inconsistent(doing, `the node does not say of which ledger its answer about ${account} is`)
  const unseen = { transactions, latest, standing }
  if (sequence !== null && sequence < number) {
    // A number never goes down: nothing has used theirs by a ledger that closed after the last of them became void, and nothing can. The account's history,
    // which strangers write too, is not needed.
    return through === undefined ? yield* unsaid : expired(unseen, `and the number of ${account} is still ${sequence}`)
  }
  const history = yield* sequenceHistory(context, account, number)
  const use = history.uses.find((each) => each.sequence === number)
  if (isPast && use !== undefined) {
    if (transactions.some(([hash]) => hash === use.inner)) {
      return yield* inconsistent(doing, `${use.inner} is in history, yet not found by its hash`)
    }
    const detail = `sequence number ${number} of ${account} was used up by ${use.inner}`
    return { _tag: "Invalidated", reason: "replaced_on_chain", by: use.inner, detail }
  }
  if (!isVoid) return { _tag: "Pending", known: false }
  return through === undefined ? yield* unsaid : yield* provePassedOver(context, account, unseen, history)
})

/**
 * What became of the transactions that share a sequence number.
 *
 * **Details**
 *
 * A closed ledger is final. One of them is in a ledger, whether it succeeded or failed, or none can be any more: because another
 * transaction has used up the number, or because a ledger has closed after the last of them became void, and none of them has used it. Whether a node holds one that waits, Horizon does not say.
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
  return final ?? (yield* whereUnseen(context, guard, transactions, latest))
})
