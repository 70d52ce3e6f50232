import { layerNetworks } from "@bursar/cli/assemble/adapters"
import type { NetworkSettings } from "@bursar/cli/config/NetworkSettings"
import { signerNetworks } from "@bursar/cli/config/SignerSettings"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { Effect, Layer } from "effect"

/** Every network of the contract, on nodes that nobody asks: for what follows from keys and addresses alone. */
export const idleNodes: ReadonlyArray<NetworkSettings> = signerNetworks([], [], {})

/** The EVM networks of them as chains on this machine, whose coins are not real. */
export const idleLocalNodes: ReadonlyArray<NetworkSettings> = idleNodes.flatMap((one) =>
  one.family === "evm" ? [{ ...one, environment: "SANDBOX" as const }] : []
)

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
