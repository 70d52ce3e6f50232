import { Clock, Effect } from "effect"
import { parseUnits } from "viem"
import type { ControlledNode } from "@bursar/simulator-kit/ControlServer"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { controlFaults } from "@bursar/simulator-kit/FaultQueue"
import { base58Of, hexOf } from "./address.ts"
import type { Block } from "./Block.ts"
import { tokens } from "./contracts.ts"
import { TronFault } from "./TronFault.ts"
import type { TronFaucet } from "./TronFaucet.ts"
import type { TronNode } from "./TronNode.ts"

const nativeCode = "TRX"
const nativeDecimals = 6

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

const toUnits = (amount: string, decimals: number) =>
  (amount.split(".")[1] ?? "").length > decimals
    ? Effect.fail(invalid(`${amount} has more than ${decimals} decimals`, "Shorten the amount."))
    : Effect.succeed(parseUnits(amount, decimals))

const toAddress = (text: string): Effect.Effect<string, DevnetError> => {
  const address = hexOf(text)
  return address === undefined
    ? Effect.fail(invalid(`${text} is not an address`, "Give the base58 form, T…."))
    : Effect.succeed(address)
}

const tokenOf = (asset: string) => {
  const token = tokens.find(({ code }) => code === asset)
  const known = [nativeCode, ...tokens.flatMap(({ code }) => code ?? [])].join(", ")
  return token === undefined
    ? Effect.fail(invalid(`there is no ${asset} on tron`, `Known: ${known}.`))
    : Effect.succeed(token)
}

const describe = (block: Block | undefined) => (block === undefined ? null : { number: block.number, hash: block.id })

/** The controls of the local tron node: its faucet and its faults behind one interface. */
export const tronControls = (faucet: TronFaucet, node: TronNode): ControlledNode => {
  const { chain } = faucet
  const send = (address: string, asset: string, amount: string) =>
    Effect.gen(function* () {
      if (asset === nativeCode) return yield* faucet.sendNative(address, yield* toUnits(amount, nativeDecimals))
      const token = yield* tokenOf(asset)
      return yield* faucet.transfer(token, address, yield* toUnits(amount, token.decimals))
    })
  return {
    mine: ({ count }) => Effect.map(faucet.mine(count), () => ({ latest: describe(chain.head()) })),
    fund: Effect.fn("tronControls.fund")(function* ({ address, amount, asset }) {
      const id = yield* send(yield* toAddress(address), asset, amount)
      return { tx_hash: id, block_number: chain.find(id)?.block.number ?? null }
    }),
    reorg: Effect.fn("tronControls.reorg")(function* ({ depth, keep }) {
      const before = describe(chain.head())
      yield* faucet.reorg(depth, keep === true)
      return { before, latest: describe(chain.head()) }
    }),
    fault: controlFaults(TronFault, node),
    state: Effect.gen(function* () {
      return {
        network: "tron",
        genesis_block_id: chain.at(0)?.id ?? null,
        latest: describe(chain.head()),
        finalized: describe(chain.at(chain.solid())),
        time: yield* Clock.currentTimeMillis,
        pool: { pending: chain.pending().length },
        assets: [
          { asset: nativeCode, contract: null, decimals: nativeDecimals },
          ...tokens.flatMap(({ address, code, decimals }) =>
            code === null ? [] : [{ asset: code, contract: base58Of(address), decimals }]
          )
        ],
        faults: yield* node.pending,
        calls: yield* node.seen
      }
    })
  }
}
