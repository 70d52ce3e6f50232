import type { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import { feeAt } from "../plan/payFromUtxos.ts"
import type { ChainError } from "@bursar/core/port/Chain"
import type { SendOrder } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import { addressOfScript } from "../../Address.ts"
import type { BitcoinChainName } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { absent, decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { type MempoolEntry, satoshi, SpendingAnswer } from "../rpc/wire.ts"
import { decodeTransaction } from "./SignedTransaction.ts"
import { shownHash } from "./SignedTransaction.ts"
import { keyOf, type Outpoint, unspentOf } from "./unspent.ts"
import { waits } from "../rpc/waits.ts"

const doing = "read what is to be replaced"

/** What a transaction of so many virtual bytes must pay to replace another. */
export interface FeeFloor {
  /** All of it. */
  readonly all: (vbytes: bigint) => bigint
  /** Without what others have built on what it replaces: they decide alone how much that is. */
  readonly own: (vbytes: bigint) => bigint
}

/**
 * Throws unless the replacement keeps an input and every receiver that it does not leave out on purpose: without, both could take
 * effect, or somebody is not paid.
 */
const checkKept = (chain: BitcoinChainName, order: SendOrder, utxos: ReadonlyArray<Utxo>, old: Transaction): void => {
  const spent = new Set(old.ins.map(({ hash, index }) => keyOf({ txHash: shownHash(hash), vout: index })))
  if (!utxos.some((utxo) => spent.has(keyOf(utxo))))
    throw new Error("a replacement must spend a coin of what it replaces")
  // No payments: it takes the place of a payment that is not to be made any more.
  if (order.payments.length === 0) return
  const kept = [...order.payments, ...(order.leavesOut ?? [])]
  const left = kept.map(({ to, units }) => (order.drain ? to : `${to} ${units}`))
  for (const { script, value } of old.outs) {
    const to = addressOfScript(chain, script)
    const at = left.indexOf(order.drain ? `${to}` : `${to} ${value}`)
    if (at >= 0) left.splice(at, 1)
    else if (to !== order.from) throw new Error(`a replacement must go on paying ${value} satoshi to ${to}`)
  }
}

const valueOf = Effect.fn("BitcoinSender.valueOf")(function* (
  rpc: BitcoinRpc,
  outpoints: ReadonlyArray<Outpoint>,
  utxos: ReadonlyArray<Utxo>
): Effect.fn.Return<bigint, ChainError> {
  const known = new Map(utxos.map((utxo) => [keyOf(utxo), utxo.units]))
  const others = outpoints.filter((outpoint) => !known.has(keyOf(outpoint)))
  const found = yield* unspentOf(rpc, doing, others)
  for (const [index, outpoint] of others.entries()) {
    const output = found[index]
    if (output === undefined)
      return yield* absent(doing, `its input ${keyOf(outpoint)} is not unspent in the newest block`)
    known.set(keyOf(outpoint), satoshi(output.value))
  }
  return outpoints.reduce((sum, outpoint) => sum + (known.get(keyOf(outpoint)) ?? 0n), 0n)
})

/** The transactions that wait and spend some of the coins: what the node would have to give up for another that does. */
const conflictsOf = Effect.fn("BitcoinSender.conflictsOf")(function* (
  rpc: BitcoinRpc,
  utxos: ReadonlyArray<Utxo>
): Effect.fn.Return<ReadonlyArray<typeof MempoolEntry.Type>, ChainError> {
  const outputs = utxos.map(({ txHash, vout }) => ({ txid: txHash, vout }))
  const answer = yield* rpc.ask(doing, "gettxspendingprevout", [outputs])
  const spending = yield* decoded(doing, SpendingAnswer, answer)
  if (spending.length !== outputs.length) return yield* inconsistent(doing, "not every output was answered for")
  const hashes = new Set(spending.flatMap(({ spendingtxid }) => spendingtxid ?? []))
  const entries = yield* Effect.forEach(hashes, (hash) => waits(rpc, doing, hash))
  return entries.filter((entry) => entry !== undefined)
})

/**
 * What a replacement has to pay by the rules of nodes (BIP 125): a higher rate than what it replaces, and its fee with the fees of all
 * that depends on it, and a fee for being relayed itself. That holds of the transaction that is named and of whatever the node
 * has in its place. Throws where it is no replacement of it.
 */
export const feeFloor = Effect.fn("BitcoinSender.feeFloor")(function* (
  {
    chain,
    incremental,
    rpc
  }: { readonly rpc: BitcoinRpc; readonly chain: BitcoinChainName; readonly incremental: bigint },
  order: SendOrder & { readonly replacing: Uint8Array },
  utxos: ReadonlyArray<Utxo>
): Effect.fn.Return<FeeFloor, ChainError> {
  const old = yield* Effect.sync(() => {
    const transaction = decodeTransaction(order.replacing)
    if (transaction === undefined) throw new Error("what is to be replaced is no transaction")
    checkKept(chain, order, utxos, transaction)
    return transaction
  })
  const outpoints = old.ins.map(({ hash, index }) => ({ txHash: shownHash(hash), vout: index }))
  const fee = (yield* valueOf(rpc, outpoints, utxos)) - old.outs.reduce((sum, { value }) => sum + value, 0n)
  const conflicts = yield* conflictsOf(rpc, utxos)
  const family = conflicts.reduce((sum, { fees }) => sum + satoshi(fees.descendant), 0n)
  const bids = [
    { fee, size: BigInt(old.virtualSize()) },
    ...conflicts.map(({ fees, vsize }) => ({ fee: satoshi(fees.base), size: BigInt(vsize) }))
  ]
  const floorOver = (paid: bigint) => (vbytes: bigint) => {
    const byRate = bids.map((bid) => (bid.fee * vbytes) / bid.size + 1n)
    return byRate.reduce((most, one) => (one > most ? one : most), paid + feeAt(incremental, vbytes))
  }
  const alone = conflicts.reduce((sum, { fees }) => sum + satoshi(fees.base), 0n)
  const most = (one: bigint) => (one > fee ? one : fee)
  return { all: floorOver(most(family)), own: floorOver(most(alone)) }
})
