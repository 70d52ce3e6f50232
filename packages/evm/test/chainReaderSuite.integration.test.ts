import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { Layer } from "effect"
import { chainWorld, World } from "./support/World.ts"

for (const network of ["ethereum", "bsc", "base"] as const) {
  chainReaderSuite(`evm on ${network}`, Layer.provide(chainWorld, World.layer(network)), {
    has: ["token", "sendTwice", "reorg", "faults"]
  })
}
