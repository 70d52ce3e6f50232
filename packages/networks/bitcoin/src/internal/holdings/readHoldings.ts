import type { ChainError, Holdings } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { UtxoScan } from "../build/scanUtxos.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { headerAt, refOf } from "../read/readHeader.ts"

/** How many addresses one scan asks: it reads the whole set however many there are. */
export const holdingsMax = 10_000

/**
 * What addresses hold as of the newest block. What was mined for them counts from the block on that lets it be spent, as the deposit of
 * it does.
 */
export const readHoldings = Effect.fn("BitcoinReader.holdings")(function* (
  rpc: BitcoinRpc,
  scan: UtxoScan,
  addresses: ReadonlyArray<string>
): Effect.fn.Return<Holdings, ChainError> {
  const { block, utxos } = yield* scan(addresses)
  const ref = refOf(yield* headerAt(rpc, block.number))
  if (ref.hash !== block.hash) return yield* inconsistent("read balances", `block ${block.hash} was replaced meanwhile`)
  const sums = new Map(addresses.map((address) => [address, 0n]))
  for (const { address, mature, units } of utxos) {
    if (mature) sums.set(address, (sums.get(address) ?? 0n) + units)
  }
  return { block: ref, held: [...sums].map(([address, units]) => ({ address, contract: null, units })) }
})
