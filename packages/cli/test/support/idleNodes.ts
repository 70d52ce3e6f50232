import { evmDefaults, type NetworkSettings } from "@bursar/cli/config/NetworkSettings"
import { mainnetPassphrase } from "@bursar/stellar/StellarChain"
import { Redacted } from "effect"

const nowhere = Redacted.make("http://127.0.0.1:9")
const paced = { confirmations: null, pollIntervalMs: null }

/** Every network of the contract, on nodes that nobody asks: for what follows from keys and addresses alone. */
export const idleNodes: ReadonlyArray<NetworkSettings> = [
  ...["ethereum", "bsc", "base"].map((network) => ({ ...evmDefaults, ...paced, network, rpcUrl: nowhere })),
  {
    family: "tron",
    network: "tron",
    nodeUrl: nowhere,
    solidityUrl: null,
    apiKey: null,
    genesisBlockId: null,
    ...paced
  },
  { family: "bitcoin", network: "bitcoin", rpcUrl: nowhere, chain: "main", ...paced },
  {
    family: "stellar",
    network: "stellar",
    horizonUrl: nowhere,
    rpcUrl: null,
    networkPassphrase: mainnetPassphrase,
    pollIntervalMs: null
  }
]
