import type { Transaction } from "bitcoinjs-lib"
import { Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { TransactionStatus, SendOrder, SignedAttempt, StatusOrder } from "@bursar/core/port/ChainSender"
import { chainInfo } from "../rpc/chainInfo.ts"
import { decoded, inconsistent, isUnknown, toChainError } from "../rpc/NodeAnswer.ts"
import { Hex, satoshi, TransactionInputs } from "../rpc/wire.ts"
import { findSpenders, type KnownSpenders, type Spender } from "./findSpenders.ts"
import type { SenderContext } from "../build/SenderContext.ts"
import { decodeTransaction, intentOf, signedTransaction, spendsOf } from "../build/SignedTransaction.ts"
import { keyOf, unspentOf } from "../build/unspent.ts"
import { waits } from "../rpc/waits.ts"

const doing = "find what became of a transaction"

/** A transaction with what it spends: one of ours, or one that made what ours spend. */
interface Spending {
  readonly hash: string
  readonly transaction: Transaction
  readonly spends: ReadonlyArray<string>
}

const spendingOf = (hash: string, transaction: Transaction): Spending => ({
  hash,
  transaction,
  spends: spendsOf(transaction)
})

const oursOf = (sent: SignedAttempt): Spending => spendingOf(sent.hash, signedTransaction(sent))

/**
 * A transaction by its bytes, wherever the node still has them: its index names those of blocks that were lost, too. Undefined where it has
 * none. The bytes hash to the id, so nobody can make them up.
 */
const bytesOf = Effect.fnUntraced(function* (
  { rpc }: SenderContext,
  txHash: string
): Effect.fn.Return<Spending | undefined, ChainError> {
  const answer = yield* rpc
    .call(doing, "getrawtransaction", [txHash, false])
    .pipe(
      Effect.catchTag("NodeRefusal", (refusal) =>
        isUnknown(refusal) ? Effect.succeed(undefined) : Effect.fail(toChainError(refusal))
      )
    )
  if (answer === undefined) return undefined
  const transaction = decodeTransaction(Buffer.from(yield* decoded(doing, Hex, answer), "hex"))
  return transaction?.getId() === txHash
    ? spendingOf(txHash, transaction)
    : yield* inconsistent(doing, `the bytes that the node has of ${txHash} are not its own`)
})

/** Whether something of the chain is one of these, under this id or another. */
const isOf = (ours: ReadonlyArray<Spending>, { transaction, txHash }: Spender): boolean =>
  ours.some((one) => one.hash === txHash || intentOf(one.transaction) === intentOf(transaction))

const outpointOf = (key: string) => {
  const [txHash = "", vout = ""] = key.split(":")
  return { txHash, vout: Number(vout) }
}

/** What has to be unspent until a transaction takes effect, or what makes it: what it spends, and what those spend by which that is made. */
const claimOf = (spends: ReadonlyArray<string>, makers: ReadonlyArray<Spending>): ReadonlyArray<string> => {
  const claim = new Set(spends)
  // what is added is looked at, too
  for (const outpoint of claim)
    for (const one of makers.filter(({ hash }) => hash === outpointOf(outpoint).txHash))
      for (const spent of one.spends) claim.add(spent)
  return [...claim]
}

/** What a transaction of ours has paid: from the coins of the order, else from what its block says that it spent. */
const feeOf = Effect.fn("BitcoinSender.feeOf")(function* (
  { rpc }: SenderContext,
  order: Pick<SendOrder, "guard">,
  { header, transaction, txHash }: Spender
): Effect.fn.Return<bigint, ChainError> {
  const utxos = order.guard._tag === "Utxos" ? order.guard.utxos : []
  const units = new Map(utxos.map((utxo) => [keyOf(utxo), utxo.units]))
  const spent = spendsOf(transaction).map((outpoint) => units.get(outpoint))
  const paid = transaction.outs.reduce((sum, { value }) => sum + value, 0n)
  const known = spent.filter((one) => one !== undefined)
  if (known.length === spent.length) return known.reduce((sum, one) => sum + one, 0n) - paid
  const answer = yield* rpc.ask(doing, "getrawtransaction", [txHash, 2, header.hash])
  const { fee, txid } = yield* decoded(doing, TransactionInputs, answer)
  if (txid !== txHash || fee === undefined) {
    return yield* inconsistent(doing, `the node does not tell what ${txHash} has paid: is it pruned?`)
  }
  return satoshi(fee)
})

/** What follows where one of ours is in a block. */
const included = Effect.fn("BitcoinSender.included")(function* (
  context: SenderContext,
  order: Pick<SendOrder, "guard">,
  hash: string,
  spender: Spender
): Effect.fn.Return<TransactionStatus, ChainError> {
  const { confirmations, height: blockNumber, time } = spender.header
  if (confirmations < context.confirmations) return { _tag: "Included", hash, blockNumber }
  return {
    _tag: "Final",
    hash,
    blockNumber,
    blockTime: time * 1000,
    fee: yield* feeOf(context, order, spender),
    // Under another id it pays the same, but what was stored is not what is in the chain: for a person to look at.
    effect: spender.txHash === hash ? "done" : "missing"
  }
})

/** What has spent for good one of the coins that something claims, and is none of those that made them. */
const rivalOf = (
  { conflictConfirmations }: SenderContext,
  claim: ReadonlyArray<string>,
  makers: ReadonlyArray<Spending>,
  spenders: ReadonlyMap<string, Spender>
): Spender | undefined =>
  claim
    .map((outpoint) => spenders.get(outpoint))
    .find(
      (spender) =>
        spender !== undefined && spender.header.confirmations >= conflictConfirmations && !isOf(makers, spender)
    )

/**
 * What became of the transactions of an order, by the blocks of the main chain alone.
 *
 * **Details**
 *
 * While all their coins are unspent in the newest block, they wait. A coin that is not unspent is no proof of anything: what has spent
 * it is looked for. They are impossible when each of them lacks a coin that a foreign transaction has spent, at depth. A coin that is
 * neither unspent nor found to be spent is a ChainError.
 *
 * A coin that was made by one of ours (`madeBy`), which has lost a coin of its own so, is lost with it. Likewise where somebody else has made it, in
 * a block that a reorganisation has taken, as far as the node still has the bytes of that transaction. Where that one may still come, so may ours.
 *
 * What is told with that are the coins of the order that are lost so. What became of the others does not follow: they may be unspent, or out of the
 * chain for a moment, and none of the transactions can take them any more, as each lacks another coin.
 */
export const readStatus = Effect.fn("BitcoinSender.fate")(function* (
  context: SenderContext,
  known: KnownSpenders,
  order: StatusOrder,
  transactions: ReadonlyArray<SignedAttempt>
): Effect.fn.Return<TransactionStatus, ChainError> {
  const { chain, rpc, searchBlocksMax } = context
  const ours = yield* Effect.sync(() => transactions.map(oursOf))
  const own = yield* Effect.sync(() => (order.madeBy ?? []).map(oursOf))
  const { bestblockhash: tip } = yield* chainInfo(rpc, chain)
  const reserved = order.guard._tag === "Utxos" ? order.guard.utxos.map(keyOf) : []
  const hashes = ours.map(({ hash }) => hash)

  /** What has spent the coins of all, or of what made them. */
  const look = Effect.fnUntraced(function* (makers: ReadonlyArray<Spending>) {
    const claims = (ours.length === 0 ? [reserved] : ours.map(({ spends }) => spends)).map((spends) =>
      claimOf(spends, makers)
    )
    const outpoints = [...new Set(claims.flat())]
    const answers = yield* unspentOf(rpc, doing, outpoints.map(outpointOf))
    const gone = outpoints.filter((_, index) => answers[index] === undefined)
    /** Whether each transaction lacks a coin that another one has spent for good; gives that other one. */
    const rivalIn = (found: ReadonlyMap<string, Spender>) => {
      const rivals = claims.map((claim) => rivalOf(context, claim, makers, found))
      return rivals.every((rival) => rival !== undefined) ? rivals[0] : undefined
    }
    const spentIn = (found: ReadonlyMap<string, Spender>) =>
      reserved.filter((outpoint) => rivalOf(context, claimOf([outpoint], makers), makers, found) !== undefined)
    // a coin that was lost in a reorg is neither unspent nor ever spent: another one that is spent for good proves as much
    const isEnough = (found: ReadonlyMap<string, Spender>) => rivalIn(found) !== undefined
    const search = { rpc, known, searchBlocksMax, since: order.madeSince, tip, isEnough }
    const spenders =
      gone.length === 0
        ? Result.succeed(new Map<string, Spender>())
        : yield* Effect.result(findSpenders(search, gone, hashes))
    return { gone, rivalIn, spentIn, spenders }
  })

  let seen = yield* look(own)
  if (Result.isFailure(seen.spenders) && seen.spenders.failure.reason === "absent") {
    const makersOfGone = new Set(seen.gone.map((outpoint) => outpointOf(outpoint).txHash))
    const unknown = [...makersOfGone].filter((hash) => !own.some((one) => one.hash === hash))
    const strangers = (yield* Effect.forEach(unknown, (hash) => bytesOf(context, hash))).filter(
      (one) => one !== undefined
    )
    if (strangers.length > 0) seen = yield* look([...own, ...strangers])
  }
  const { rivalIn, spentIn } = seen
  const spenders = yield* Effect.fromResult(seen.spenders)
  const found = [...spenders.values()]
  for (const { hash, transaction } of ours) {
    const spender =
      found.find(({ txHash }) => txHash === hash) ??
      found.find((one) => intentOf(one.transaction) === intentOf(transaction))
    if (spender !== undefined) return yield* included(context, order, hash, spender)
  }
  const rival = rivalIn(spenders)
  if (rival !== undefined) {
    const { confirmations, height } = rival.header
    const detail = `${rival.txHash} has spent its coins, or those of what made them, in block ${height}, ${confirmations} blocks deep`
    return {
      _tag: "Invalidated",
      reason: "replaced_on_chain",
      by: rival.txHash,
      detail,
      spent: spentIn(spenders).map(outpointOf)
    }
  }
  const waiting = yield* Effect.forEach(hashes, (hash) => waits(rpc, doing, hash))
  return { _tag: "Pending", known: waiting.some((entry) => entry !== undefined) }
})
