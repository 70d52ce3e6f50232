import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { testNetworkAdapter } from "@bursar/testkit/suites/testNetworkAdapter"
import { Layer } from "effect"
import { adapterWorld } from "./support/adapterWorld.ts"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import { chainWorld, World } from "./support/World.ts"

testNetworkAdapter({
  name: "stellar",
  traits: presetNetworks.of("stellar"),
  adapter: Layer.provide(adapterWorld, World.layer),
  reader: {
    world: Layer.provide(chainWorld, World.layer),
    has: ["token", "memo", "sendTwice", "tokenTwice", "faults"]
  },
  sender: {
    world: Layer.provide(senderWorld, SendingDevnet.layer),
    has: ["token", "memo", "noop", "replacement", "rival", "expiry", "revert", "sequence", "faults"]
  }
})
