import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { geth, gethSenderWorld } from "./support/GethWorld.ts"
import { EvmSenderWorld, senderWorld } from "./support/SenderWorld.ts"

for (const network of ["ethereum", "bsc", "base"] as const) {
  chainSenderSuite(`evm on ${network}`, Layer.provide(senderWorld, EvmSenderWorld.on(network)), {
    has: ["token", "noop", "replacement", "rival", "reorg", "revert", "sequence", "faults"]
  })
}

describe.skipIf(geth.found === undefined)(`geth${geth.skipped}`, () => {
  chainSenderSuite("evm on geth", gethSenderWorld, {
    has: ["token", "noop", "replacement", "rival", "reorg", "revert", "sequence", "faults"]
  })
})
