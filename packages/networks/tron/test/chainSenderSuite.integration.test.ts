import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { javaTron, javaTronSenderWorld } from "./support/JavaTronWorld.ts"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

chainSenderSuite("tron", Layer.provide(senderWorld, SendingDevnet.layer), {
  has: ["token", "reorg", "expiry", "revert", "faults"]
})

// A block takes three seconds, and what expires is waited for.
describe.skipIf(javaTron.found === undefined)(`java-tron${javaTron.skipped}`, () => {
  chainSenderSuite("tron on java-tron", javaTronSenderWorld, {
    has: ["token", "expiry", "revert", "faults"],
    timeoutMs: 180_000
  })
})
