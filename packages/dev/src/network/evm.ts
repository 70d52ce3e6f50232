import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { EvmNetwork } from "@bursar/evm/Network"
import { Effect, Redacted } from "effect"
import { confirmations, type LocalNetwork, type LocalNetworkOptions, pollIntervalMs } from "./LocalNetwork.ts"

/** Mines on top of the newest blocks while one of them has transactions; anvil itself mines what waits. */
const goOn = ({ faucet }: EvmDevnet.EvmDevnet) =>
  Effect.gen(function* () {
    const { number: latest } = yield* faucet.block("latest")
    for (let number = latest; number > 0n && number > latest - BigInt(confirmations); number--) {
      const { transactions } = yield* faucet.block(number)
      if (transactions.length > 0) return yield* faucet.mine(1)
    }
  })

/** Starts a local EVM network: anvil, and a proxy that can be told to misbehave. */
export const startEvm = Effect.fn("dev.startEvm")(function* (network: EvmNetwork, { stateFile }: LocalNetworkOptions) {
  const devnet = yield* EvmDevnet.make({ network, stateFile })
  const { anvil, controlUrl, rpcUrl } = devnet
  return {
    settings: {
      ...evmDefaults,
      network,
      environment: "SANDBOX",
      rpcUrl: Redacted.make(rpcUrl),
      confirmations,
      pollIntervalMs
    },
    // past the proxy
    handshake: { [network]: { rpc_url: anvil.rpcUrl, funded_key: anvil.fundedKey, control_url: controlUrl } },
    goOn: goOn(devnet)
  } satisfies LocalNetwork
})
