import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { geth, gethChainWorld } from "./support/GethWorld.ts"
import { chainWorld, World } from "./support/World.ts"

for (const network of ["ethereum", "bsc", "base"] as const) {
  chainReaderSuite(`evm on ${network}`, Layer.provide(chainWorld, World.layer(network)), {
    has: ["token", "sendTwice", "reorg", "faults"]
  })
}

describe.skipIf(geth.found === undefined)(`geth${geth.skipped}`, () => {
  chainReaderSuite("evm on geth", gethChainWorld, { has: ["token", "sendTwice", "reorg", "faults"] })
})
