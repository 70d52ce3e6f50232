import { Clock, Effect } from "effect"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { amountText } from "./bytes.ts"
import type { Node } from "./Node.ts"
import { Rejection } from "./Rejection.ts"
import { scriptOf } from "./scripts.ts"
import type { Wallet } from "./Wallet.ts"

/** What an address is to get, in satoshi. */
export interface Output {
  readonly address: string
  readonly units: bigint
}

/** Everything a person or a test can make the local bitcoin do. Amounts are satoshi. */
export interface Faucet {
  /** Where its own coins are, and where blocks are mined to. */
  readonly address: string
  /** What it can pay with now. */
  readonly balance: Effect.Effect<bigint>
  /** Sends coin in one transaction; gives its id. It waits for a block. Fails with `invalid_request` for a bad address or amount. */
  readonly send: (outputs: ReadonlyArray<Output>) => Effect.Effect<string, DevnetError>
  /** Mines the mempool, then empty blocks; gives their hashes. */
  readonly mine: (count: number) => Effect.Effect<ReadonlyArray<string>>
  /**
   * Replaces the last `depth` blocks by as many new ones, with their transactions or without. Fails with
   * `invalid_request` if the chain is not that long.
   */
  readonly reorg: (depth: number, keep: boolean) => Effect.Effect<void, DevnetError>
}

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

const milliseconds = 1_000

const now = Effect.map(Clock.currentTimeMillis, (time) => Math.floor(time / milliseconds))

/** The faucet of a node. `changed` runs after everything that moves it. */
export const makeFaucet = (node: Node, wallet: Wallet, changed: Effect.Effect<void>): Faucet => {
  const payments = (outputs: ReadonlyArray<Output>) =>
    Effect.forEach(outputs, ({ address, units }) => {
      const script = scriptOf(address)
      return script === undefined
        ? Effect.fail(
            invalid(
              `${address} is not an address of bitcoin's regtest`,
              "Regtest addresses start with bcrt1, m, n or 2."
            )
          )
        : Effect.succeed({ script, units })
    })

  return {
    address: wallet.address,
    balance: Effect.sync(() => wallet.balance(node)),
    send: Effect.fn("BitcoinFaucet.send")(function* (outputs) {
      const paid = yield* payments(outputs)
      const time = yield* now
      const tx = wallet.pay(node, paid)
      if (tx === undefined) {
        const has = amountText(wallet.balance(node))
        return yield* invalid(`the faucet has ${has} BTC, less than that and the fee`, "Ask for less, or mine a block.")
      }
      yield* Effect.try({
        try: () => node.mempool.accept(tx, time),
        catch: (error) => {
          if (!(error instanceof Rejection)) throw error
          return invalid(
            `the node does not take the payment: ${error.details}`,
            "Dust and empty payments are not relayed."
          )
        }
      })
      yield* changed
      return tx.txid
    }),
    mine: (count) =>
      Effect.flatMap(now, (time) => Effect.sync(() => node.mine(count, wallet.script, time))).pipe(
        Effect.tap(() => changed)
      ),
    reorg: Effect.fn("BitcoinFaucet.reorg")(function* (depth, keep) {
      if (depth >= node.chain.active.length) {
        const length = node.chain.active.length - 1
        return yield* invalid(`the chain has ${length} blocks on top of its first`, "Ask for a smaller depth.")
      }
      const time = yield* now
      yield* Effect.sync(() => node.reorg(depth, keep, wallet.script, time))
      yield* changed
    })
  }
}
