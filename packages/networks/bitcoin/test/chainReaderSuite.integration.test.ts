import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { coreFaults, coreLayer, devnetLayer, skipReason } from "./support/Bitcoind.ts"
import { chainWorld, worldOn } from "./support/World.ts"

chainReaderSuite("bitcoin on the devnet", Layer.provide(chainWorld, worldOn(devnetLayer)), {
  has: ["sendTwice", "reorg", "faults"]
})

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  chainReaderSuite("bitcoin on Bitcoin Core", Layer.provide(chainWorld, worldOn(coreLayer)), {
    has: ["sendTwice", "reorg", ...coreFaults]
  })
})
