import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

chainSenderSuite("stellar", Layer.provide(senderWorld, SendingDevnet.layer), {
  has: ["token", "noop", "replacement", "rival", "expiry", "revert", "sequence", "faults"]
})
