import { Block as RawBlock, type Transaction } from "bitcoinjs-lib"
import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { absent, decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { headerOfHash } from "./readHeader.ts"
import { Hash, Hex, type VerboseHeader } from "../rpc/wire.ts"
import { blockWithoutWitness } from "./withoutWitness.ts"

const parsed = (doing: string, hex: string): Effect.Effect<RawBlock, ChainError> =>
  Effect.try({
    try: () => RawBlock.fromBuffer(blockWithoutWitness(Buffer.from(hex, "hex"))),
    catch: () => inconsistent(doing, "the bytes of the block cannot be decoded")
  })

/** What a block contains that contradicts its header, or undefined. `checkTxRoots` also refuses repeated leaves (CVE-2012-2459). */
const fault = (
  header: VerboseHeader,
  block: RawBlock,
  transactions: ReadonlyArray<Transaction>
): string | undefined => {
  if (block.getId() !== header.hash) return `the node answered with block ${block.getId()}`
  if (transactions.length !== header.nTx)
    return `${transactions.length} transactions, but the header says ${header.nTx}`
  if (!block.checkTxRoots()) return "the transactions do not add up to the merkle root of the header"
  if (transactions.some((transaction, index) => transaction.isCoinbase() !== (index === 0))) {
    return "the coinbase is not the first transaction, or not the only one"
  }
  return undefined
}

/** A block of the main chain as its bytes say it is. */
export interface WholeBlock {
  readonly header: VerboseHeader
  /** The coinbase first; all of them without their witnesses. */
  readonly transactions: ReadonlyArray<Transaction>
}

/**
 * The transactions of a block by its hash. They are read from its bytes, which must hash to what was asked for; whatever does
 * not add up fails the whole block. `absent` where the block is not in the node's main chain.
 */
export const readTransactions = Effect.fn("BitcoinReader.readTransactions")(function* (
  rpc: BitcoinRpc,
  hash: string
): Effect.fn.Return<WholeBlock, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(doing, "this is not a block hash")
  const header = yield* headerOfHash(rpc, doing, hash)
  const block = yield* parsed(doing, yield* decoded(doing, Hex, yield* rpc.ask(doing, "getblock", [hash, 0])))
  const transactions = block.transactions ?? []
  const wrong = fault(header, block, transactions)
  return wrong === undefined ? { header, transactions } : yield* inconsistent(doing, wrong)
})
