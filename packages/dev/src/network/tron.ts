import { TronDevnet } from "@bursar/simulator-tron"
import { Clock, Effect, Redacted } from "effect"
import { confirmations, type LocalNetwork, type LocalNetworkOptions, pollIntervalMs } from "./LocalNetwork.ts"

/** A sender builds nothing on a block that is older than five minutes: one is made before the newest gets there. */
const idleMsMax = 60_000

const goOn = ({ faucet }: TronDevnet.TronDevnet) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { chain } = faucet
    const { number, time } = chain.head()
    const recent = Array.from({ length: confirmations }, (_, below) => chain.at(number - below)?.executed.length ?? 0)
    const lively = chain.pending().length > 0 || recent.some((count) => count > 0)
    return lively || now - time > idleMsMax ? faucet.mine(1) : Effect.void
  })

/** Starts a local tron. */
export const startTron = Effect.fn("dev.startTron")(function* ({ stateFile }: LocalNetworkOptions) {
  const devnet = yield* TronDevnet.make({ mining: "manual", stateFile })
  const { controlUrl, genesisBlockId, nodeUrl } = devnet
  return {
    settings: {
      family: "tron",
      network: "tron",
      nodeUrl: Redacted.make(nodeUrl),
      solidityUrl: null,
      apiKey: null,
      genesisBlockId,
      confirmations,
      pollIntervalMs
    },
    handshake: { tron: { url: nodeUrl, control_url: controlUrl } },
    goOn: goOn(devnet)
  } satisfies LocalNetwork
})
