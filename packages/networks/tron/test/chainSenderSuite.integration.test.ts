import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

chainSenderSuite("tron", Layer.provide(senderWorld, SendingDevnet.layer), {
  has: ["token", "reorg", "expiry", "revert", "faults"]
})
