import { Effect } from "effect"
import type { HandshakeNetworks } from "@bursar/cli/config/Handshake"
import { startBitcoin } from "./network/bitcoin.ts"
import { startEvm } from "./network/evm.ts"
import { keepGoing, type LocalNetwork } from "./network/LocalNetwork.ts"
import { startStellar } from "./network/stellar.ts"
import { startTron } from "./network/tron.ts"

/** Starts a local node per network, which keeps its chain in the data directory and, unless mining is manual, goes on by itself. */
export const startNetworks = Effect.fn("dev.startNetworks")(function* (dataDir: string, manualMining: boolean) {
  const at = (network: string) => ({ stateFile: `${dataDir}/${network}.json`, manualMining })
  const networks: ReadonlyArray<LocalNetwork> = yield* Effect.all(
    [
      startEvm("ethereum", at("ethereum")),
      startEvm("bsc", at("bsc")),
      startEvm("base", at("base")),
      startBitcoin(at("bitcoin")),
      startTron(at("tron")),
      startStellar(at("stellar"))
    ],
    { concurrency: "unbounded" }
  )
  if (!manualMining) yield* Effect.forEach(networks, keepGoing, { discard: true })
  return networks
})

/** What the handshake says of the networks. */
export const networkHandshake = (networks: ReadonlyArray<LocalNetwork>): HandshakeNetworks =>
  Object.assign({}, ...networks.map(({ handshake }) => handshake))
