import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { describe } from "@effect/vitest"
import { senderWorldOn } from "./support/BitcoinSenderWorld.ts"
import { coreFaults, coreLayer, devnetLayer, skipReason } from "./support/Bitcoind.ts"

chainSenderSuite("bitcoin on the devnet", senderWorldOn(devnetLayer), {
  has: ["noop", "replacement", "rival", "reorg", "faults"]
})

describe.skipIf(skipReason !== undefined)(`Bitcoin Core${skipReason ?? ""}`, () => {
  chainSenderSuite("bitcoin on Bitcoin Core", senderWorldOn(coreLayer), {
    has: ["noop", "replacement", "rival", "reorg", ...coreFaults]
  })
})
