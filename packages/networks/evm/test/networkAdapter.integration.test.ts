import { evmTraits, presetNetworks } from "@bursar/core/money/presetNetworks"
import { factsDefault } from "@bursar/evm"
import { testNetworkAdapter } from "@bursar/testkit/suites/testNetworkAdapter"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { adapterWorld } from "./support/adapterWorld.ts"
import { geth, gethAdapterWorld, gethChainWorld, gethSenderWorld } from "./support/GethWorld.ts"
import { EvmSenderWorld, senderWorld } from "./support/SenderWorld.ts"
import { byTwoNodes } from "./support/byTwoNodes.ts"
import { chainWorld, type ConfiguredNetwork, World } from "./support/World.ts"

const gethReads = ["token", "sendTwice", "reorg", "faults"] as const
const reads = [...gethReads, "tokenTwice"] as const
const sends = ["token", "noop", "replacement", "rival", "reorg", "revert", "sequence", "faults"] as const

/** A network that is known by its configuration alone. */
const orchard: ConfiguredNetwork = {
  traits: evmTraits("orchard", { code: "APL", decimals: 18 }),
  facts: { ...factsDefault, chainId: 77_007 }
}

for (const network of ["ethereum", "bsc", "base", orchard] as const) {
  const traits = typeof network === "string" ? presetNetworks.of(network) : network.traits
  testNetworkAdapter({
    name: `evm on ${traits.name}`,
    traits,
    adapter: Layer.provide(adapterWorld, World.layer(network)),
    reader: { world: Layer.provide(chainWorld, World.layer(network)), has: reads },
    sender: { world: Layer.provide(senderWorld, EvmSenderWorld.on(network)), has: sends }
  })
}

testNetworkAdapter({
  name: "evm by the word of two nodes",
  traits: presetNetworks.of("ethereum"),
  adapter: Layer.provide(adapterWorld, World.layer("ethereum").pipe(byTwoNodes)),
  reader: { world: Layer.provide(chainWorld, World.layer("ethereum").pipe(byTwoNodes)), has: reads },
  sender: {
    world: Layer.provide(Layer.provide(senderWorld, EvmSenderWorld.layer), World.layer("ethereum").pipe(byTwoNodes)),
    has: sends
  }
})

describe.skipIf(geth.found === undefined)(`geth${geth.skipped}`, () => {
  testNetworkAdapter({
    name: "evm on geth",
    traits: presetNetworks.of("ethereum"),
    adapter: gethAdapterWorld,
    reader: { world: gethChainWorld, has: gethReads },
    sender: { world: gethSenderWorld, has: sends }
  })
})
