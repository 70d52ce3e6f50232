import { Effect, Result, Semaphore } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Coin } from "@bursar/core/port/ChainSender"
import { type BitcoinChainName, coinbaseMaturity } from "../../BitcoinNetwork.ts"
import type { BitcoinRpc } from "../BitcoinRpc.ts"
import { chainInfo } from "../chainInfo.ts"
import { decoded, inconsistent } from "../NodeAnswer.ts"
import { scriptOfAddress } from "../scriptOfAddress.ts"
import { satoshi, ScanAnswer } from "../wire.ts"
import { keyOf } from "./unspent.ts"

const doing = "find the coins of addresses"

/** A coin with whether the next block could spend it. */
export interface ScannedCoin extends Coin {
  readonly mature: boolean
}

/** Finds what the node's newest block leaves unspent at addresses. */
export type CoinScan = (addresses: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ScannedCoin>, ChainError>

const scan = Effect.fn("BitcoinSender.scan")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  addresses: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<ScannedCoin>, ChainError> {
  const byScript = new Map<string, string>()
  for (const address of addresses) {
    const script = yield* Effect.fromResult(
      Result.mapError(scriptOfAddress(chain, address), (words) => inconsistent(doing, words))
    )
    byScript.set(Buffer.from(script).toString("hex"), address)
  }
  if (byScript.size === 0) return []
  yield* chainInfo(rpc, chain)
  const wanted = [...byScript.keys()].map((script) => `raw(${script})`)
  const answer = yield* decoded(doing, ScanAnswer, yield* rpc.ask(doing, "scantxoutset", ["start", wanted]))
  const { height, success, total_amount, unspents } = answer
  if (!success) return yield* inconsistent(doing, "the node broke off its scan")
  const coins: Array<ScannedCoin> = []
  for (const unspent of unspents) {
    const address = byScript.get(unspent.scriptPubKey)
    if (address === undefined) return yield* inconsistent(doing, "the node found a coin that was not asked for")
    coins.push({
      txHash: unspent.txid,
      vout: unspent.vout,
      units: satoshi(unspent.amount),
      address,
      mature: !unspent.coinbase || height + 1 - unspent.height >= coinbaseMaturity
    })
  }
  const total = coins.reduce((sum, { units }) => sum + units, 0n)
  const same = new Set(coins.map(keyOf)).size === coins.length && total === satoshi(total_amount)
  return same ? coins : yield* inconsistent(doing, "the coins that the node found do not add up to its own total")
})

/**
 * A scan of the node's set of unspent outputs, which needs no wallet and no index. It reads the whole set: minutes on the main chain,
 * and a node does one at a time, so scans wait for each other.
 */
export const makeCoinScan = (rpc: BitcoinRpc, chain: BitcoinChainName): CoinScan => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  return (addresses) => Semaphore.withPermits(oneAtATime, 1)(scan(rpc, chain, addresses))
}
