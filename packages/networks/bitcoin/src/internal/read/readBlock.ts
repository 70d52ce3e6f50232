import { Effect } from "effect"
import type { Block, ChainError } from "@bursar/core/port/Chain"
import type { BitcoinChainName } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import type { Matured } from "./matured.ts"
import { refOf } from "./readHeader.ts"
import { readTransactions } from "./readTransactions.ts"
import { transfersOf } from "./transfersOf.ts"

/**
 * A block by its hash with all that it moved: the header, for its height and its place in the main chain, and the raw bytes; then what
 * the coinbase of the hundredth block back pays, which can be spent from here on.
 *
 * **Details**
 *
 * Everything is read from the bytes, and they must hash to what was asked for. So the node is trusted for no amount, no address and no
 * txid, and amounts never go through a JSON number. Whatever does not add up fails the whole block. The block's own coinbase pays
 * nobody yet.
 */
export const readBlock = Effect.fn("BitcoinReader.readBlock")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  matured: Matured,
  hash: string
): Effect.fn.Return<Block, ChainError> {
  const block = yield* readTransactions(rpc, hash)
  const earned = yield* matured.by(block.header.height)
  matured.remember(block)
  const moved = block.transactions.slice(1).flatMap((transaction) => transfersOf(chain, transaction))
  return { ...refOf(block.header), transfers: [...moved, ...earned] }
})
