import { StellarDevnet } from "@bursar/devnet"
import { Effect, Redacted } from "effect"
import { type LocalNetwork, type LocalNetworkOptions, pollIntervalMs } from "./LocalNetwork.ts"

/** Starts a local stellar. One closed ledger is enough for a deposit, so one is closed for every transaction and no more. */
export const startStellar = Effect.fn("dev.startStellar")(function* ({ manualMining, stateFile }: LocalNetworkOptions) {
  const devnet = yield* StellarDevnet.make({ mining: manualMining ? "manual" : "automine", stateFile })
  const { controlUrl, horizonUrl, networkPassphrase, rpcUrl } = devnet
  return {
    settings: {
      network: "stellar",
      horizonUrl: Redacted.make(horizonUrl),
      rpcUrl: Redacted.make(rpcUrl),
      networkPassphrase,
      pollIntervalMs
    },
    handshake: {
      stellar: {
        horizon_url: horizonUrl,
        rpc_url: rpcUrl,
        network_passphrase: networkPassphrase,
        control_url: controlUrl
      }
    },
    goOn: Effect.void
  } satisfies LocalNetwork
})
