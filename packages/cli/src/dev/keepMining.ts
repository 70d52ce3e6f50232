import type { EvmDevnet } from "@bursar/devnet"
import { Effect, Schedule } from "effect"

/** How many blocks a block with transactions gets on top of it, so that deposits in it become final. */
const blocksOnTop = 3n

/**
 * Lets a local chain go on by itself: while one of its newest blocks has transactions, an empty block is mined every
 * second. A chain on which nothing happens stands still, so its files stay small.
 */
export const keepMining = ({ anvil, faucet }: EvmDevnet.EvmDevnet) =>
  Effect.gen(function* () {
    const { number: latest } = yield* faucet.block("latest")
    for (let number = latest; number > 0n && number > latest - blocksOnTop; number--) {
      const { transactions } = yield* faucet.block(number)
      if (transactions.length > 0) return yield* faucet.mine(1)
    }
  }).pipe(
    Effect.catch((error) => Effect.logDebug(`the miner of ${anvil.network} waits`, error)),
    Effect.repeat(Schedule.spaced("1 second"))
  )
