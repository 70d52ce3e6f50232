import { Effect, Result, Semaphore } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Utxo } from "@bursar/core/port/Utxo"
import { type BitcoinChainName, coinbaseMaturity } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { chainInfo } from "../rpc/chainInfo.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import { satoshi, ScanAnswer } from "../rpc/wire.ts"
import { keyOf } from "./unspent.ts"

/** How long a node may take to look through all unspent outputs. */
export const scanTimeoutMsDefault = 600_000

const doing = "find the coins of addresses"

/** A coin with whether the next block could spend it. */
export interface ScannedUtxo extends Utxo {
  readonly mature: boolean
}

/** What the node's newest block leaves unspent at addresses. */
export interface ScannedUtxos {
  readonly block: { readonly number: number; readonly hash: string }
  readonly utxos: ReadonlyArray<ScannedUtxo>
}

/** Finds what the node's newest block leaves unspent at addresses. */
export type UtxoScan = (addresses: ReadonlyArray<string>) => Effect.Effect<ScannedUtxos, ChainError>

const scan = Effect.fn("BitcoinSender.scan")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  addresses: ReadonlyArray<string>
): Effect.fn.Return<ScannedUtxos, ChainError> {
  const byScript = new Map<string, string>()
  for (const address of addresses) {
    const script = yield* Effect.fromResult(
      Result.mapError(scriptOfAddress(chain, address), (words) => inconsistent(doing, words))
    )
    byScript.set(Buffer.from(script).toString("hex"), address)
  }
  const { bestblockhash, blocks } = yield* chainInfo(rpc, chain)
  if (byScript.size === 0) return { block: { number: blocks, hash: bestblockhash }, utxos: [] }
  const wanted = [...byScript.keys()].map((script) => `raw(${script})`)
  const answer = yield* decoded(doing, ScanAnswer, yield* rpc.ask(doing, "scantxoutset", ["start", wanted]))
  const { bestblock, height, success, total_amount, unspents } = answer
  if (!success) return yield* inconsistent(doing, "the node broke off its scan")
  const utxos: Array<ScannedUtxo> = []
  for (const unspent of unspents) {
    const address = byScript.get(unspent.scriptPubKey)
    if (address === undefined) return yield* inconsistent(doing, "the node found a coin that was not asked for")
    utxos.push({
      txHash: unspent.txid,
      vout: unspent.vout,
      units: satoshi(unspent.amount),
      address,
      mature: !unspent.coinbase || height + 1 - unspent.height >= coinbaseMaturity
    })
  }
  const total = utxos.reduce((sum, { units }) => sum + units, 0n)
  const same = new Set(utxos.map(keyOf)).size === utxos.length && total === satoshi(total_amount)
  return same
    ? { block: { number: height, hash: bestblock }, utxos }
    : yield* inconsistent(doing, "the coins that the node found do not add up to its own total")
})

/**
 * A scan of the node's set of unspent outputs, which needs no wallet and no index. It reads the whole set: minutes on the main chain,
 * and a node does one at a time, so scans wait for each other.
 */
export const makeUtxoScan = (rpc: BitcoinRpc, chain: BitcoinChainName): UtxoScan => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  return (addresses) => Semaphore.withPermits(oneAtATime, 1)(scan(rpc, chain, addresses))
}
