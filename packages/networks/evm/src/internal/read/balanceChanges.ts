import { Effect, Schema } from "effect"
import type { BalanceChange, BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { balanceOfData } from "../rpc/tokenCall.ts"
import { Address, Hash, Quantity, same, SmallQuantity } from "../rpc/wire.ts"

/** A block with its transactions, as far as they matter here. */
export const WithTransactions = Schema.Struct({ hash: Hash, transactions: Schema.Array(Schema.Unknown) })

/** What an address holds of coin, or of a token whose contract answers with one number, at a height. */
export const balanceAt = Effect.fnUntraced(function* (
  rpc: Rpc,
  doing: string,
  { address, contract, height }: { readonly address: string; readonly contract: string | null; readonly height: number }
) {
  const at = `0x${height.toString(16)}`
  if (contract === null) {
    const answer = yield* rpc.ask(doing, "eth_getBalance", [address, at])
    return BigInt(yield* decoded(rpc.network, doing, Quantity, answer))
  }
  const answer = yield* rpc.ask(doing, "eth_call", [{ to: contract, data: balanceOfData(address) }, at])
  return BigInt(yield* decoded(rpc.network, doing, Hash, answer))
})

const Ordinary = Schema.Struct({ from: Address, nonce: SmallQuantity, type: Schema.optional(SmallQuantity) })
const isOrdinary = Schema.is(Ordinary)

/** The type of a deposit of an OP stack, which counts its nonces otherwise. */
const depositType = 0x7e

/**
 * Fails where the node does not know the state of the block and of its parent: some clients answer for a state that they do not keep
 * with another one. The nonces of whoever sent a transaction of the block show it.
 */
export const checkState = Effect.fnUntraced(function* (
  rpc: Rpc,
  doing: string,
  height: number,
  transactions: ReadonlyArray<unknown>
) {
  const sent = transactions.filter(isOrdinary).find(({ type = "0x0" }) => Number(type) !== depositType)
  if (sent === undefined) return
  const countAt = Effect.fnUntraced(function* (at: number) {
    const answer = yield* rpc.ask(doing, "eth_getTransactionCount", [sent.from, `0x${at.toString(16)}`])
    return Number(yield* decoded(rpc.network, doing, SmallQuantity, answer))
  })
  const [before, after, nonce] = [yield* countAt(height - 1), yield* countAt(height), Number(sent.nonce)]
  if (before > nonce || after <= nonce)
    return yield* inconsistent(rpc.network, doing, "the node does not know the state of that block any more")
})

/**
 * How the balances of some addresses, of coin and of the pinned tokens, changed from a block's parent to the block. Two calls for
 * each address and asset, and three that make sure that the block stands at its height and that the node knows its state: only then
 * were the changes made in it.
 */
export const balanceChanges = Effect.fn("EvmReader.balanceChanges")(function* (
  rpc: Rpc,
  contracts: Iterable<string>,
  block: BlockRef,
  addresses: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<BalanceChange>, ChainError> {
  const doing = `compare balances across block ${block.number}`
  if (block.number === 0 || addresses.length === 0) return []
  const assets = [null, ...contracts]
  const changes = yield* Effect.forEach(
    addresses.flatMap((address) => assets.map((contract) => ({ address, contract }))),
    ({ address, contract }) =>
      Effect.zipWith(
        balanceAt(rpc, doing, { address, contract, height: block.number - 1 }),
        balanceAt(rpc, doing, { address, contract, height: block.number }),
        (before, after): BalanceChange => ({ address, contract, units: after - before }),
        { concurrent: true }
      ),
    { concurrency: rpc.callsMax }
  )
  const answer = yield* rpc.ask(doing, "eth_getBlockByNumber", [`0x${block.number.toString(16)}`, true])
  const { hash, transactions } = yield* decoded(rpc.network, doing, WithTransactions, answer)
  if (!same(hash, block.hash)) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${block.number}`)
  }
  yield* checkState(rpc, doing, block.number, transactions)
  return changes.filter(({ units }) => units !== 0n)
})
