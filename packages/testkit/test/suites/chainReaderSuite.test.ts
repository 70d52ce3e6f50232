import { Layer } from "effect"
import { makeFakeChain } from "../../src/fixtures/FakeChain.ts"
import { ChainWorld } from "../../src/suites/chain/ChainWorld.ts"
import { fakeChainWorld, fakeTokens } from "../../src/suites/chain/fakeChainWorld.ts"
import { chainReaderSuite } from "../../src/suites/chainReaderSuite.ts"

/** The fake chain passes the suite that real readers pass, so what is tested with it is tested with a reader. */
const world = Layer.sync(ChainWorld, () =>
  fakeChainWorld(
    makeFakeChain({ network: "ethereum", contracts: fakeTokens }),
    (serial) => `0x${serial.toString(16).padStart(40, "0")}`
  )
)

chainReaderSuite("FakeChain", world, { has: ["token", "memo", "sendTwice", "tokenTwice", "reorg", "faults"] })
