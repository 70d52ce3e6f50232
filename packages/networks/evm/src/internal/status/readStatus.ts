import { Effect, Result, Schema } from "effect"
import type { ChainError, Tip } from "@bursar/core/port/Chain"
import type { TransactionStatus, SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import { checksummed } from "../../Address.ts"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { Address, Hash, same } from "../rpc/wire.ts"
import { costOf, effectOf, type MinedReceipt, readMinedReceipt } from "./minedReceipt.ts"
import { type NonceConsumers, readNonceConsumer } from "./nonceConsumer.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { payerOf, type SignedTransaction, type UnownedTransaction } from "../build/SignedTransaction.ts"

/** A transaction as the node knows it, in a block or not. */
const Known = Schema.NullOr(
  Schema.Struct({ hash: Hash, from: Address, blockHash: Schema.optional(Schema.NullOr(Hash)) })
)

const readKnown = Effect.fnUntraced(function* (rpc: Rpc, { draft, hash }: SignedTransaction) {
  const doing = `look for transaction ${hash}`
  const answer = yield* rpc.ask(doing, "eth_getTransactionByHash", [hash])
  // Here the protocol's word for nothing is an answer; it is never taken as proof.
  const known = answer === null ? null : yield* decoded(rpc.network, doing, Known, answer)
  if (known === null) return known
  if (!same(known.hash, hash)) return yield* inconsistent(rpc.network, doing, `the node answered with ${known.hash}`)
  return same(known.from, draft.from) ? known : yield* inconsistent(rpc.network, doing, `it is of ${known.from}`)
})

/** A stored transaction that is not of the order is a bug, or was put there by somebody. */
const notOwn = (network: string, nonce: bigint, account: string) =>
  Effect.die(new Error(`a stored transaction on ${network} is not one at nonce ${nonce} of ${account}`))

/** Stored transactions, which the account is said to have signed. */
interface Stored {
  readonly unowned: ReadonlyArray<UnownedTransaction>
  readonly ours: ReadonlyArray<SignedTransaction>
}

/**
 * The stored transactions, read from their own bytes: they must be what they are stored as. That the account has signed them is what they are
 * stored for. The node says it too of each that it has, and a receipt of each that counts; where neither does, `requireOwn` looks.
 */
const readStored = Effect.fnUntraced(function* (
  { network, readSigned }: Pick<SenderContext, "network" | "readSigned">,
  account: string,
  nonce: bigint,
  transactions: ReadonlyArray<SignedAttempt>
): Effect.fn.Return<Stored> {
  const read = transactions.map(({ hash, raw }) =>
    Result.match(readSigned(raw, hash), {
      onFailure: () => undefined,
      onSuccess: (unowned) =>
        unowned.hash === hash.toLowerCase() && unowned.draft.nonce === nonce ? unowned : undefined
    })
  )
  const unowned = read.filter((one) => one !== undefined)
  return unowned.length === read.length
    ? { unowned, ours: unowned.map(({ draft, hash }) => ({ hash, draft: { ...draft, from: account } })) }
    : yield* notOwn(network, nonce, account)
})

/** Makes sure by their signatures that the account has signed stored transactions. */
const requireOwn = (network: string, nonce: bigint, account: string, unowned: ReadonlyArray<UnownedTransaction>) =>
  unowned.every((one) => payerOf(one) === account) ? Effect.void : notOwn(network, nonce, account)

/** What a transaction in a block comes to, by its receipt. */
const statusBy = Effect.fnUntraced(function* (
  network: string,
  signed: SignedTransaction,
  { block, receipt }: MinedReceipt,
  tip: Tip
) {
  const { hash } = signed
  if (!same(receipt.from, signed.draft.from)) {
    return yield* inconsistent(network, `follow transaction ${hash}`, `the receipt is of ${receipt.from}`)
  }
  if (block.number > tip.confirmed)
    return { _tag: "Included", hash, blockNumber: block.number } satisfies TransactionStatus
  return {
    _tag: "Final",
    hash,
    blockNumber: block.number,
    blockTime: block.time,
    fee: costOf(receipt),
    effect: effectOf(signed, receipt)
  } satisfies TransactionStatus
})

const standing = Effect.fnUntraced(function* (context: SenderContext, signed: SignedTransaction, tip: Tip) {
  const { network } = context
  const doing = `follow transaction ${signed.hash}`
  const mined = yield* readMinedReceipt(context, signed.hash)
  if (mined === null) return yield* inconsistent(network, doing, "it is in a block, yet the node has no receipt")
  return yield* statusBy(network, signed, mined, tip)
})

/**
 * What became of the only transaction of a nonce that is used up: mostly it is in a block, and its receipt says all. Undefined where there is none
 * that can be relied on, or more than one may have used the nonce.
 */
const readByReceipt = Effect.fnUntraced(function* (
  context: SenderContext,
  ours: ReadonlyArray<SignedTransaction>,
  tip: Tip
) {
  const [only, ...rivals] = ours
  if (only === undefined || rivals.length > 0) return undefined
  const mined = yield* Effect.orElseSucceed(readMinedReceipt(context, only.hash), () => null)
  return mined === null ? undefined : yield* statusBy(context.network, only, mined, tip)
})

/**
 * What became of the transactions at one nonce of an account.
 *
 * **Details**
 *
 * One of them is in a block: `Included`, or `Final` by the network's finality. The newest block still expects the nonce:
 * `Waiting`. Otherwise some transaction has used it up, and it is looked up by name: one of these, which then has its
 * receipt, or another one, which proves them `Impossible` once it is final, and not before. Whatever contradicts itself on the
 * way is a ChainError. Of two or more none is believed by its receipt alone: another may be said to be in a block, too.
 */
export const readStatus = Effect.fn("EvmSender.status")(function* (
  context: SenderContext,
  consumers: NonceConsumers,
  { from, guard }: Pick<SendOrder, "from" | "guard">,
  transactions: ReadonlyArray<SignedAttempt>
): Effect.fn.Return<TransactionStatus, ChainError> {
  const { network, reads } = context
  if (guard._tag !== "Sequence") return yield* Effect.die(new Error(`an order on ${network} needs a nonce`))
  const account = checksummed(from)
  const nonce = guard.sequence
  const doing = `follow nonce ${nonce} of ${account}`
  const { ours, unowned } = yield* readStored(context, account, nonce, transactions)
  const [count, tip] = yield* Effect.all([context.countOf(account), context.tip], {
    concurrency: "unbounded"
  })
  const byReceipt = count > nonce ? yield* readByReceipt(context, ours, tip) : undefined
  if (byReceipt !== undefined) return byReceipt
  const known = yield* Effect.forEach(ours, (one) => readKnown(reads, one), { concurrency: "unbounded" })
  const [mined, ...others] = ours.filter((_, index) => typeof known[index]?.blockHash === "string")
  if (others.length > 0) {
    return yield* inconsistent(network, doing, "the node says that two transactions with the same nonce are in blocks")
  }
  if (mined !== undefined) return yield* standing(context, mined, tip)
  if (count <= nonce) return { _tag: "Pending", known: known.some((one) => one !== null) }

  const consumer = yield* readNonceConsumer(reads, consumers, { account, nonce, latest: tip.latest.number })
  const own = ours.find(({ hash }) => hash === consumer.txHash)
  if (own !== undefined) return yield* standing(context, own, tip)
  if (consumer.block.number > tip.confirmed) return { _tag: "Pending", known: false }
  // no receipt tells who signed them, and what another has signed is not proven impossible by this nonce
  yield* requireOwn(network, nonce, account, unowned)
  return {
    _tag: "Invalidated",
    reason: "replaced_on_chain",
    by: consumer.txHash,
    detail: `nonce ${nonce} of ${account} was used by ${consumer.txHash} in block ${consumer.block.number}, which is final`
  }
})
