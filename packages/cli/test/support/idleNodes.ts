import { layerNetworks } from "@bursar/cli/assemble/adapters"
import { evmDefaults, type NetworkSettings } from "@bursar/cli/config/NetworkSettings"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { mainnetPassphrase } from "@bursar/stellar/Reader"
import { Effect, Layer, Redacted } from "effect"

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

/** Networks without a database: each name stands for whatever chain its node is of. */
export const layerNetworksAlone = (settings: ReadonlyArray<NetworkSettings>, currencies: CurrencyTable) =>
  layerNetworks(settings, currencies).pipe(
    Layer.provide(
      Layer.succeed(
        KnownNetworks,
        KnownNetworks.of({
          all: Effect.succeed([]),
          note: () => Effect.void,
          bind: () => Effect.succeed(undefined)
        })
      )
    )
  )
