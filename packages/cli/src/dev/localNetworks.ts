import { EvmDevnet } from "@bursar/devnet"
import { Effect, Redacted } from "effect"
import type { EvmSettings } from "../config/Settings.ts"
import { keepMining } from "./keepMining.ts"

/** Blocks after which a deposit counts on a local network, its own included. */
const confirmations = 3

/** Local nodes may be asked often, so that a person sees every state. */
const pollIntervalMs = 250

/** Starts a local node per EVM network, which keeps its chain in the data directory. */
export const startNetworks = Effect.fn("dev.startNetworks")(function* (dataDir: string, manualMining: boolean) {
  const networks = yield* Effect.all(
    (["ethereum", "bsc", "base"] as const).map((network) =>
      EvmDevnet.make({ network, stateFile: `${dataDir}/${network}.json` })
    ),
    { concurrency: "unbounded" }
  )
  if (!manualMining)
    yield* Effect.forEach(networks, (devnet) => Effect.forkScoped(keepMining(devnet)), { discard: true })
  return networks
})

/** The service's settings for local networks: it reads them through the proxies that can be told to misbehave. */
export const evmSettings = (networks: ReadonlyArray<EvmDevnet.EvmDevnet>): ReadonlyArray<EvmSettings> =>
  networks.map(({ anvil, rpcUrl }) => ({
    network: anvil.network,
    rpcUrl: Redacted.make(rpcUrl),
    confirmations,
    pollIntervalMs
  }))

/** What the handshake says of the networks: their own addresses, past the proxies. */
export const networkHandshake = (networks: ReadonlyArray<EvmDevnet.EvmDevnet>) =>
  Object.fromEntries(
    networks.map(({ anvil, controlUrl }) => [
      anvil.network,
      { rpc_url: anvil.rpcUrl, funded_key: anvil.fundedKey, control_url: controlUrl }
    ])
  )
