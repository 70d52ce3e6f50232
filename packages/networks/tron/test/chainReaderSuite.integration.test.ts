import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { javaTron, javaTronChainWorld } from "./support/JavaTronWorld.ts"
import { chainWorld, World } from "./support/World.ts"

chainReaderSuite("tron", Layer.provide(chainWorld, World.layer), { has: ["token", "sendTwice", "reorg", "faults"] })

// A block takes three seconds, and 19 of them are counted.
describe.skipIf(javaTron.found === undefined)(`java-tron${javaTron.skipped}`, () => {
  chainReaderSuite("tron on java-tron", javaTronChainWorld, {
    has: ["token", "sendTwice", "faults"],
    timeoutMs: 180_000
  })
})
