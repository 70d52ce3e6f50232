import type { BlockRef, ChainError, Holding, Holdings } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import type { Rpc } from "../rpc/Rpc.ts"
import { same } from "../rpc/wire.ts"
import { balanceAt, checkState, WithTransactions } from "../read/balanceChanges.ts"

/** How many addresses one call asks: each costs a question per asset. */
export const holdingsMax = 100

/**
 * What addresses hold as of a block, of coin and of the pinned tokens. Balances are asked by height; that the block still stands there,
 * and that the node knows its state, is asked afterwards: only then are they the block's.
 */
export const readHoldings = Effect.fn("EvmReader.holdings")(function* (
  rpc: Rpc,
  contracts: Iterable<string>,
  block: BlockRef,
  addresses: ReadonlyArray<string>
): Effect.fn.Return<Holdings, ChainError> {
  const doing = `read balances at block ${block.number}`
  const assets = [null, ...contracts]
  const held = yield* Effect.forEach(
    [...new Set(addresses)].flatMap((address) =>
      assets.map((contract) => ({ address, contract, height: block.number }))
    ),
    (one) =>
      Effect.map(balanceAt(rpc, doing, one), (units): Holding => ({
        address: one.address,
        contract: one.contract,
        units
      })),
    { concurrency: rpc.callsMax }
  )
  const answer = yield* rpc.ask(doing, "eth_getBlockByNumber", [`0x${block.number.toString(16)}`, true])
  const { hash, transactions } = yield* decoded(rpc.network, doing, WithTransactions, answer)
  if (!same(hash, block.hash)) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${block.number}`)
  }
  if (block.number > 0) yield* checkState(rpc, doing, block.number, transactions)
  return { block, held }
})
