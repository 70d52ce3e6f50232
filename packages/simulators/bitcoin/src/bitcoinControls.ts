import { Effect } from "effect"
import type { ControlledNode } from "@bursar/simulator-kit/ControlServer"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { controlFaults } from "@bursar/simulator-kit/FaultQueue"
import { amountText } from "./bytes.ts"
import { Fault } from "./Fault.ts"
import type { Faucet } from "./Faucet.ts"
import type { Node } from "./Node.ts"
import type { RpcServer } from "./RpcServer.ts"

const decimals = 8

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

const toUnits = (amount: string): Effect.Effect<bigint, DevnetError> => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return fraction.length > decimals
    ? Effect.fail(invalid(`${amount} has more than ${decimals} decimals`, "Shorten the amount."))
    : Effect.succeed(BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, "0")))
}

/** The controls of the local bitcoin. */
export const bitcoinControls = (node: Node, faucet: Faucet, server: RpcServer): ControlledNode => {
  const head = Effect.sync(() => {
    const { hash, height } = node.chain.tip()
    return { number: height, hash }
  })
  return {
    mine: ({ count }) => Effect.map(Effect.andThen(faucet.mine(count), head), (latest) => ({ latest })),
    fund: Effect.fn("bitcoinControls.fund")(function* ({ address, amount, asset }) {
      if (asset !== "BTC") return yield* invalid(`there is no ${asset} on bitcoin`, "Known: BTC.")
      const txid = yield* faucet.send([{ address, units: yield* toUnits(amount) }])
      const block = node.mempool.entries.has(txid) ? undefined : node.chain.index.get(txid)
      return { tx_hash: txid, block_number: block?.height ?? null }
    }),
    reorg: Effect.fn("bitcoinControls.reorg")(function* ({ depth, keep }) {
      const before = yield* head
      yield* faucet.reorg(depth, keep === true)
      return { before, latest: yield* head }
    }),
    fault: controlFaults(Fault, server),
    state: Effect.gen(function* () {
      return {
        network: "bitcoin",
        chain: "regtest",
        latest: yield* head,
        pool: { pending: node.mempool.entries.size },
        faucet: { address: faucet.address, balance: amountText(yield* faucet.balance) },
        assets: [{ asset: "BTC", contract: null, decimals }],
        faults: yield* server.pending,
        calls: yield* server.seen
      }
    })
  }
}
