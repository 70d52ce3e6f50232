import { Effect } from "effect"
import type { BalanceChange, BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { EvmRpc } from "./EvmRpc.ts"
import { decoded, inconsistent } from "./NodeAnswer.ts"
import { balanceOfData } from "./send/tokenCall.ts"
import { Hash, Header, Quantity, same } from "./wire.ts"

/** What an address holds of coin, or of a token whose contract answers with one number, at a height. */
const balanceAt = Effect.fnUntraced(function* (
  rpc: EvmRpc,
  doing: string,
  address: string,
  contract: string | null,
  height: number
) {
  const at = `0x${height.toString(16)}`
  if (contract === null) {
    const answer = yield* rpc.ask(doing, "eth_getBalance", [address, at])
    return BigInt(yield* decoded(rpc.network, doing, Quantity, answer))
  }
  const answer = yield* rpc.ask(doing, "eth_call", [{ to: contract, data: balanceOfData(address) }, at])
  return BigInt(yield* decoded(rpc.network, doing, Hash, answer))
})

/**
 * How the balances of some addresses, of coin and of the pinned tokens, changed from a block's parent to the block. Two calls for
 * each address and asset, and one that makes sure that the block stands at its height: only then were they made in it.
 */
export const balanceChanges = Effect.fn("EvmChain.balanceChanges")(function* (
  rpc: EvmRpc,
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
        balanceAt(rpc, doing, address, contract, block.number - 1),
        balanceAt(rpc, doing, address, contract, block.number),
        (before, after): BalanceChange => ({ address, contract, units: after - before }),
        { concurrent: true }
      ),
    { concurrency: rpc.callsMax }
  )
  const answer = yield* rpc.ask(doing, "eth_getBlockByNumber", [`0x${block.number.toString(16)}`, false])
  const { hash } = yield* decoded(rpc.network, doing, Header, answer)
  if (!same(hash, block.hash)) {
    return yield* inconsistent(rpc.network, doing, `another block stands at height ${block.number}`)
  }
  return changes.filter(({ units }) => units !== 0n)
})
