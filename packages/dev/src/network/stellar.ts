import { StellarDevnet } from "@bursar/simulator-stellar"
import { Clock, Effect, Redacted } from "effect"
import { type LocalNetwork, type LocalNetworkOptions, pollIntervalMs } from "./LocalNetwork.ts"

/** A sender builds nothing on a ledger that is older than two minutes: one is closed before the newest gets there. */
const idleMsMax = 60_000

const goOn = ({ faucet }: StellarDevnet.StellarDevnet) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - faucet.chain.head().time * 1_000 > idleMsMax ? Effect.asVoid(faucet.close(1)) : Effect.void
  )

/** Starts a local stellar. One closed ledger is enough for a deposit, so one is closed for every transaction, and one a minute where there is none. */
export const startStellar = Effect.fn("dev.startStellar")(function* ({ manualMining, stateFile }: LocalNetworkOptions) {
  const devnet = yield* StellarDevnet.make({ mining: manualMining ? "manual" : "automine", stateFile })
  const { controlUrl, horizonUrl, networkPassphrase, rpcUrl } = devnet
  return {
    settings: {
      family: "stellar",
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
    goOn: goOn(devnet)
  } satisfies LocalNetwork
})
