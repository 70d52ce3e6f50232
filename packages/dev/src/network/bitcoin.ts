import { BitcoinDevnet } from "@bursar/simulator-bitcoin"
import { Clock, Effect, Redacted } from "effect"
import { confirmations, type LocalNetwork, type LocalNetworkOptions, pollIntervalMs } from "./LocalNetwork.ts"

/** How long the newest transaction waits for a block: long enough to be seen waiting. */
const waitSeconds = 2

const millisecondsPerSecond = 1_000

const goOn = ({ faucet, node }: BitcoinDevnet.BitcoinDevnet) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const waiting = [...node.mempool.entries.values()]
    const newest = waiting.at(-1)
    if (newest !== undefined) {
      return now - newest.time * millisecondsPerSecond < waitSeconds * millisecondsPerSecond
        ? Effect.void
        : Effect.asVoid(faucet.mine(1))
    }
    // a coinbase alone is a block on which nothing happened
    return node.chain.active.slice(-confirmations).some(({ transactions }) => transactions.length > 1)
      ? Effect.asVoid(faucet.mine(1))
      : Effect.void
  })

/** Starts a local bitcoin, in regtest. */
export const startBitcoin = Effect.fn("dev.startBitcoin")(function* ({ stateFile }: LocalNetworkOptions) {
  const devnet = yield* BitcoinDevnet.make({ stateFile })
  const { controlUrl, rpcUrl } = devnet
  return {
    settings: {
      family: "bitcoin",
      network: "bitcoin",
      rpcUrl: Redacted.make(rpcUrl),
      chain: "regtest",
      confirmations,
      pollIntervalMs
    },
    handshake: { bitcoin: { rpc_url: rpcUrl, control_url: controlUrl } },
    goOn: goOn(devnet)
  } satisfies LocalNetwork
})
