import { Effect } from "effect"
import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import { type BitcoinChainName, coinbaseMaturity } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { headerAt } from "./readHeader.ts"
import { readTransactions, type WholeBlock } from "./readTransactions.ts"
import { transfersOf } from "./transfersOf.ts"

/** How many blocks are remembered by what their coinbase pays: those that are read in order mature before they are forgotten. */
const rememberedMax = 2 * coinbaseMaturity

/** What coinbases pay once they can be spent. */
export interface Matured {
  /** Keeps in mind what the coinbase of a block pays, so that the block need not be read again when it matures. */
  readonly remember: (block: WholeBlock) => void
  /** What the coinbase pays that has its hundredth confirmation by the block at a height: the next block may spend it. */
  readonly by: (height: number) => Effect.Effect<ReadonlyArray<Transfer>, ChainError>
}

/**
 * Tells what miners earned in the block in which it matures. Mined to a deposit address, it is a deposit of that block, under the id of
 * the coinbase: so it counts as deep as any other from there on, and is lost and found again with that block.
 */
export const makeMatured = (rpc: BitcoinRpc, chain: BitcoinChainName): Matured => {
  const paid = new Map<string, ReadonlyArray<Transfer>>()

  const remember: Matured["remember"] = ({ header, transactions: [coinbase] }) => {
    paid.delete(header.hash)
    paid.set(header.hash, coinbase === undefined ? [] : transfersOf(chain, coinbase))
    const oldest = paid.keys().next()
    if (paid.size > rememberedMax && oldest.done !== true) paid.delete(oldest.value)
  }

  return {
    remember,
    by: Effect.fn("BitcoinReader.matured")(function* (height) {
      const mined = height - coinbaseMaturity + 1
      // What the first block pays can never be spent.
      if (mined < 1) return []
      const { hash } = yield* headerAt(rpc, mined)
      const known = paid.get(hash)
      if (known !== undefined) return known
      const block = yield* readTransactions(rpc, hash)
      remember(block)
      return paid.get(hash) ?? []
    })
  }
}
