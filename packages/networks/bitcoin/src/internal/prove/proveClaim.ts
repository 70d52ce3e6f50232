import type { Transaction } from "bitcoinjs-lib"
import { Clock, Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { notFinal, notProven, unreadable } from "@bursar/network-kit/claims"
import { addressOfScript } from "../../Address.ts"
import { type BitcoinChainName, coinbaseMaturity } from "../facts.ts"
import { chainInfo } from "../rpc/chainInfo.ts"
import { decoded, inconsistent, isUnknown, toChainError } from "../rpc/NodeAnswer.ts"
import { readTransactions } from "../read/readTransactions.ts"
import { bestHeader, headerOfHash } from "../read/readHeader.ts"
import { scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import {
  type ChainInfo,
  IndexInfo,
  satoshi,
  TransactionInputs,
  TransactionPlace,
  type VerboseHeader
} from "../rpc/wire.ts"
import type { SenderContext } from "../build/SenderContext.ts"

const doing = "check a claimed payment"

/** The highest block that was ever seen: a node below it is behind, or another one. */
export interface HighestSeen {
  height: number
}

/** What makes a claim untrue whatever the chain says, or undefined. */
const impossibleClaim = (
  chain: BitcoinChainName,
  { contract, memo, to, txHash, units }: Claimed
): string | undefined => {
  if (!/^[0-9a-f]{64}$/u.test(txHash)) return `${txHash} is not the id of a transaction of bitcoin`
  if (contract !== null) return "bitcoin has no assets but its own coin"
  if (memo !== null) return "payments of bitcoin carry no memo"
  if (units <= 0n) return "a payment has an amount above 0"
  const script = scriptOfAddress(chain, to)
  return Result.isFailure(script) ? script.failure : undefined
}

/** Why a node cannot be asked about the whole chain, or undefined. */
const behind = (
  info: typeof ChainInfo.Type,
  tip: VerboseHeader,
  seen: HighestSeen,
  oldestMs: number | null
): string | undefined => {
  if (info.initialblockdownload === true && oldestMs !== null) return "the node is still fetching the chain"
  if (info.headers !== undefined && info.headers > info.blocks)
    return "the node has not read all blocks that it knows of"
  if (tip.height < seen.height) return `the node is at block ${tip.height}, and block ${seen.height} was seen before`
  if (oldestMs !== null && tip.time * 1000 < oldestMs) return "the newest block of the node is hours old"
  return undefined
}

/** Where the transaction is: the hash of a block, null in the mempool; undefined where the node does not know it. */
const placeOf = Effect.fn("BitcoinSender.placeOf")(function* (
  { rpc }: SenderContext,
  txHash: string
): Effect.fn.Return<string | null | undefined, ChainError> {
  return yield* rpc.call(doing, "getrawtransaction", [txHash, true]).pipe(
    Effect.flatMap((answer) => decoded(doing, TransactionPlace, answer)),
    Effect.map(({ blockhash }) => blockhash ?? null),
    Effect.catchTag("NodeRefusal", (refusal) =>
      isUnknown(refusal) ? Effect.succeed(undefined) : Effect.fail(toChainError(refusal))
    )
  )
})

/** Why a node does not know a transaction. That is no denial: even where it has all blocks, the transaction may be on its way elsewhere. */
const unknownTransaction = Effect.fn("BitcoinSender.unknownTransaction")(function* (
  { rpc }: SenderContext,
  tip: VerboseHeader
): Effect.fn.Return<Proof, ChainError> {
  const { txindex } = yield* decoded(doing, IndexInfo, yield* rpc.ask(doing, "getindexinfo", []))
  if (txindex === undefined) return unreadable("the node keeps no index of transactions (txindex=1), so it cannot tell")
  return unreadable(
    txindex.synced && txindex.best_block_height >= tip.height
      ? "there is no such transaction: it does not exist, or is on its way"
      : "the index of transactions of the node is not complete yet"
  )
})

const list = (units: ReadonlyArray<bigint>): string => units.map((one) => `${one}`).join(" and ")

/** Whether the outputs pay what was claimed: one of them does, or all of those to the receiver together. */
const amountFault = (chain: BitcoinChainName, { to, units }: Claimed, { outs }: Transaction): string | undefined => {
  const paid = outs
    .filter(({ script, value }) => value > 0n && addressOfScript(chain, script) === to)
    .map(({ value }) => value)
  if (paid.length === 0) return `it pays nothing to ${to}`
  const sum = paid.reduce((one, other) => one + other, 0n)
  return sum === units || paid.includes(units)
    ? undefined
    : `it pays ${list(paid)} satoshi to ${to}, and ${units} were claimed`
}

/** What the senders say of a claim: why it is not true, or what they paid the network. */
type Senders = { readonly fault: string } | { readonly fault: undefined; readonly fee: bigint | null }

/** Who signed for the inputs. Bitcoin has no sender: all who gave coins must be among those accepted. */
const readSenders = Effect.fn("BitcoinSender.readSenders")(function* (
  { chain, rpc }: SenderContext,
  { senders, txHash }: Claimed,
  transaction: Transaction,
  blockHash: string
): Effect.fn.Return<Senders, ChainError> {
  if (senders.length === 0) return { fault: undefined, fee: null }
  const answer = yield* rpc.ask(doing, "getrawtransaction", [txHash, 2, blockHash])
  const { fee, txid, vin } = yield* decoded(doing, TransactionInputs, answer)
  if (txid !== txHash || vin.length !== transaction.ins.length) {
    return yield* inconsistent(doing, "the node answered with another transaction")
  }
  for (const { prevout } of vin) {
    if (prevout === undefined) return yield* inconsistent(doing, "the node does not tell who paid: is it pruned?")
    const from = addressOfScript(chain, Uint8Array.from(Buffer.from(prevout.scriptPubKey.hex, "hex")))
    if (from === null || !senders.includes(from)) return { fault: `it was paid by ${from ?? "what has no address"}` }
  }
  return { fault: undefined, fee: fee === undefined ? null : satoshi(fee) }
})

const judge = Effect.fn("BitcoinSender.judge")(function* (
  context: SenderContext,
  claimed: Claimed,
  blockHash: string
): Effect.fn.Return<Proof, ChainError> {
  const { chain, confirmations, rpc } = context
  const { header, transactions } = yield* readTransactions(rpc, blockHash)
  const transaction = transactions.find((one) => one.getId() === claimed.txHash)
  if (transaction === undefined) return yield* inconsistent(doing, "the block does not hold the transaction")
  const coinbase = transaction.isCoinbase()
  if (coinbase && claimed.senders.length > 0) return notProven("it pays for mining a block, and nobody has sent it")
  const amount = amountFault(chain, claimed, transaction)
  if (amount !== undefined) return notProven(amount)
  const paidBy = yield* readSenders(context, claimed, transaction, blockHash)
  if (paidBy.fault !== undefined) return notProven(paidBy.fault)
  const needed = coinbase ? Math.max(confirmations, coinbaseMaturity) : confirmations
  return header.confirmations < needed
    ? notFinal(`it is not final: it has ${header.confirmations} of ${needed} confirmations`)
    : {
        verdict: "PROVEN",
        detail: `in block ${header.height}, ${header.confirmations} confirmations deep`,
        fee: paidBy.fee
      }
})

const check = Effect.fn("BitcoinSender.check")(function* (
  context: SenderContext,
  seen: HighestSeen,
  tipAgeMsMax: number | null,
  claimed: Claimed
): Effect.fn.Return<Proof, ChainError> {
  const { chain, rpc } = context
  const fault = impossibleClaim(chain, claimed)
  if (fault !== undefined) return notProven(fault)
  const info = yield* chainInfo(rpc, chain)
  const tip = yield* bestHeader(rpc, doing, info)
  const now = yield* Clock.currentTimeMillis
  const late = behind(info, tip, seen, tipAgeMsMax === null ? null : now - tipAgeMsMax)
  seen.height = Math.max(seen.height, tip.height)
  if (late !== undefined) return unreadable(late)
  const place = yield* placeOf(context, claimed.txHash)
  if (place === undefined) return yield* unknownTransaction(context, tip)
  if (place === null) return unreadable("it is not in a block yet")
  // The index names the last block that held it, also when that block was lost.
  const header = yield* headerOfHash(rpc, doing, place).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "absent",
      () => Effect.succeed(undefined)
    )
  )
  return header === undefined
    ? unreadable("the block that it was in was replaced, and the node names no other")
    : yield* judge(context, claimed, place)
})

/** Checks a claimed payment at finality. What the node cannot tell, or contradicts itself on, is unreadable. */
export const proveClaim = (
  context: SenderContext,
  seen: HighestSeen,
  tipAgeMsMax: number | null,
  claimed: Claimed
): Effect.Effect<Proof> =>
  Effect.catch(check(context, seen, tipAgeMsMax, claimed), (error) => Effect.succeed(unreadable(error.message)))
