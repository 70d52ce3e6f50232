import { Effect } from "effect"
import { isAddress, parseUnits } from "viem"
import type { ControlledNode } from "@bursar/simulator-kit/ControlServer"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { controlFaults } from "@bursar/simulator-kit/FaultQueue"
import { chainIds, nativeCodes } from "./EvmNetwork.ts"
import type { EvmNetwork } from "./EvmNetwork.ts"
import { Fault } from "./Fault.ts"
import type { FaultProxy } from "./FaultProxy.ts"
import type { BlockRef, Faucet, Hex } from "./Faucet.ts"
import { tokensOf } from "./tokens.ts"

const nativeDecimals = 18

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

const toUnits = (amount: string, decimals: number) =>
  (amount.split(".")[1] ?? "").length > decimals
    ? Effect.fail(invalid(`${amount} has more than ${decimals} decimals`, "Shorten the amount."))
    : Effect.succeed(parseUnits(amount, decimals))

const toAddress = (text: string): Effect.Effect<Hex, DevnetError> =>
  isAddress(text, { strict: false })
    ? Effect.succeed(text)
    : Effect.fail(invalid(`${text} is not an address`, "Give 20 bytes in hexadecimal."))

const describe = (block: BlockRef) => ({ number: Number(block.number), hash: block.hash })

/** The controls of a local EVM node: its faucet and its faults behind one interface. */
export const evmControls = (network: EvmNetwork, faucet: Faucet, proxy: FaultProxy): ControlledNode => {
  const head = Effect.map(faucet.block("latest"), describe)
  const send = (address: Hex, asset: string, amount: string) =>
    Effect.gen(function* () {
      if (asset === nativeCodes[network])
        return yield* faucet.sendNative(address, yield* toUnits(amount, nativeDecimals))
      const token = yield* faucet.token(asset)
      return yield* faucet.transfer(token, address, yield* toUnits(amount, token.decimals))
    })
  return {
    mine: ({ count }) =>
      Effect.andThen(
        faucet.mine(count),
        Effect.map(head, (latest) => ({ latest }))
      ),
    fund: Effect.fn("evmControls.fund")(function* ({ address, amount, asset }) {
      const hash = yield* send(yield* toAddress(address), asset, amount)
      // With mining on demand the block may be long in coming: the answer does not wait for it.
      const immediate = yield* faucet.rpc<boolean>("anvil_getAutomine")
      const receipt = immediate ? yield* faucet.receipt(hash) : undefined
      return { tx_hash: hash, block_number: receipt === undefined ? null : Number(receipt.blockNumber) }
    }),
    reorg: Effect.fn("evmControls.reorg")(function* ({ depth, keep }) {
      const before = yield* head
      yield* faucet.reorg(depth, keep === true ? yield* faucet.transactionsOf(depth) : [])
      return { before, latest: yield* head }
    }),
    fault: controlFaults(Fault, proxy),
    state: Effect.gen(function* () {
      const pool = yield* faucet.rpc<{ readonly pending: Hex; readonly queued: Hex }>("txpool_status")
      return {
        network,
        chain_id: chainIds[network],
        latest: yield* head,
        safe: describe(yield* faucet.block("safe")),
        finalized: describe(yield* faucet.block("finalized")),
        automine: yield* faucet.rpc<boolean>("anvil_getAutomine"),
        pool: { pending: Number(pool.pending), queued: Number(pool.queued) },
        assets: [
          { asset: nativeCodes[network], contract: null, decimals: nativeDecimals },
          ...tokensOf(network).map((token) => ({
            asset: token.code,
            contract: token.address,
            decimals: token.decimals
          }))
        ],
        faults: yield* proxy.pending,
        calls: yield* proxy.seen
      }
    })
  }
}
