import type { ChainReader, Transfer } from "@bursar/core/port/Chain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeFakeChain } from "../../src/fixtures/FakeChain.ts"
import { blockTests } from "../../src/suites/chain/blockTests.ts"
import { ChainWorld } from "../../src/suites/chain/ChainWorld.ts"
import { fakeChainWorld, fakeToken } from "../../src/suites/chain/fakeChainWorld.ts"
import { failuresOf } from "../../src/suites/failuresOf.ts"

/** What a reader tells of a transfer, changed. */
const telling = (reader: ChainReader, change: (transfer: Transfer) => Transfer): ChainReader => ({
  ...reader,
  block: (hash) => Effect.map(reader.block(hash), (block) => ({ ...block, transfers: block.transfers.map(change) }))
})

interface Wrong {
  /** The contracts that it pins; absent where it pins none. */
  readonly contracts?: ReadonlyArray<string>
  readonly of: (reader: ChainReader) => ChainReader
  /** The one test that it fails. */
  readonly failure: string
}

const tooSoon = "counts a block once the confirmations it asks for are there, and not before it is final"

const wrongs: Readonly<Record<string, Wrong>> = {
  "counts a block final the moment it is mined": {
    contracts: [fakeToken],
    of: (reader) => ({ ...reader, tip: Effect.map(reader.tip, (tip) => ({ ...tip, confirmed: tip.latest.number })) }),
    failure: tooSoon
  },
  "counts a block final one block too soon": {
    contracts: [fakeToken],
    of: (reader) => ({ ...reader, tip: Effect.map(reader.tip, (tip) => ({ ...tip, confirmed: tip.confirmed + 1 })) }),
    failure: tooSoon
  },
  "takes any contract for the pinned one": {
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, contract: transfer.contract && fakeToken })),
    failure: "takes no other contract for a pinned one, and a transfer that failed for none"
  },
  "drops memos": {
    contracts: [fakeToken],
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, memo: null })),
    failure: "reads a memo with its type, and none where none was written"
  }
}

describe("the suite of readers", () => {
  for (const [what, { contracts, failure, of }] of Object.entries(wrongs)) {
    it.live(`refuses a reader that ${what}`, () =>
      Effect.gen(function* () {
        const chain = makeFakeChain({ network: "ethereum", ...(contracts === undefined ? {} : { contracts }) })
        const world = Layer.sync(ChainWorld, () => fakeChainWorld(chain, (serial) => `0x${serial}`, of(chain.reader)))
        const failures = yield* failuresOf(world, (tests) => blockTests(tests, 60_000, ["token", "memo", "sendTwice"]))
        assert.deepStrictEqual(failures, [failure])
      })
    )
  }
})
