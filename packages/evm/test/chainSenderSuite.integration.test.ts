import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { Layer } from "effect"
import { EvmSenderWorld, senderWorld } from "./support/SenderWorld.ts"

for (const network of ["ethereum", "bsc", "base"] as const) {
  chainSenderSuite(`evm on ${network}`, Layer.provide(senderWorld, EvmSenderWorld.on(network)), {
    has: ["token", "noop", "replacement", "rival", "reorg", "revert", "sequence", "faults"]
  })
}
