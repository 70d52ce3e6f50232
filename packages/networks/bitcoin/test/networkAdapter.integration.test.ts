import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { testNetworkAdapter } from "@bursar/testkit/suites/testNetworkAdapter"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { adapterWorld } from "./support/adapterWorld.ts"
import { coreFaults, coreLayer, devnetLayer, skipReason } from "./support/Bitcoind.ts"
import { byTwoNodes } from "./support/byTwoNodes.ts"
import { senderWorldOn } from "./support/SenderWorld.ts"
import { chainWorld, worldOn } from "./support/World.ts"

const traits = presetNetworks.of("bitcoin")

testNetworkAdapter({
  name: "bitcoin on the devnet",
  traits,
  adapter: Layer.provide(adapterWorld, devnetLayer),
  reader: { world: Layer.provide(chainWorld, worldOn(devnetLayer)), has: ["sendTwice", "reorg", "faults"] },
  sender: { world: senderWorldOn(devnetLayer), has: ["noop", "batch", "replacement", "rival", "reorg", "faults"] }
})

const twoNodes = byTwoNodes(worldOn(devnetLayer))

testNetworkAdapter({
  name: "bitcoin by the word of two nodes",
  traits,
  adapter: Layer.provide(adapterWorld, devnetLayer),
  reader: { world: Layer.provide(chainWorld, twoNodes), has: ["sendTwice", "reorg", "faults"] },
  sender: {
    world: senderWorldOn(devnetLayer, twoNodes),
    has: ["noop", "batch", "replacement", "rival", "reorg", "faults"]
  }
})

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  testNetworkAdapter({
    name: "bitcoin on Bitcoin Core",
    traits,
    adapter: Layer.provide(adapterWorld, coreLayer),
    reader: { world: Layer.provide(chainWorld, worldOn(coreLayer)), has: ["sendTwice", "reorg", ...coreFaults] },
    sender: { world: senderWorldOn(coreLayer), has: ["noop", "batch", "replacement", "rival", "reorg", ...coreFaults] }
  })
})
