import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { testNetworkAdapter } from "@bursar/testkit/suites/testNetworkAdapter"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { adapterWorld } from "./support/adapterWorld.ts"
import { javaTron, javaTronAdapterWorld, javaTronChainWorld, javaTronSenderWorld } from "./support/JavaTronWorld.ts"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import { chainWorld, World } from "./support/World.ts"

const traits = presetNetworks.of("tron")

testNetworkAdapter({
  name: "tron",
  traits,
  adapter: Layer.provide(adapterWorld, World.layer),
  reader: {
    world: Layer.provide(chainWorld, World.layer),
    has: ["token", "sendTwice", "tokenTwice", "reorg", "faults"]
  },
  sender: {
    world: Layer.provide(senderWorld, SendingDevnet.layer),
    has: ["token", "reorg", "expiry", "revert", "faults"]
  }
})

// A block takes three seconds, 19 of them are counted, and what expires is waited for.
describe.skipIf(javaTron.found === undefined)(`java-tron${javaTron.skipped}`, () => {
  testNetworkAdapter({
    name: "tron on java-tron",
    traits,
    adapter: javaTronAdapterWorld,
    reader: { world: javaTronChainWorld, has: ["token", "sendTwice", "faults"] },
    sender: { world: javaTronSenderWorld, has: ["token", "expiry", "revert", "faults"] },
    timeoutMs: 180_000
  })
})
