import type { ChainReader, Transfer } from "@bursar/core/port/Chain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeFakeChain } from "../../src/fixtures/FakeChain.ts"
import { blockTests } from "../../src/suites/chain/blockTests.ts"
import { ChainWorld } from "../../src/suites/chain/ChainWorld.ts"
import { fakeChainWorld, fakeToken, fakeTokens } from "../../src/suites/chain/fakeChainWorld.ts"
import { holdingsTests } from "../../src/suites/chain/holdingsTests.ts"
import { reorgTests } from "../../src/suites/chain/reorgTests.ts"
import { failuresOf } from "../../src/suites/failuresOf.ts"

/** What a reader tells of a transfer, changed. */
const telling = (reader: ChainReader, change: (transfer: Transfer) => Transfer): ChainReader => ({
  ...reader,
  block: (hash) => Effect.map(reader.block(hash), (block) => ({ ...block, transfers: block.transfers.map(change) }))
})

/** Changes the transfers that a reader tells of a block. */
const tellingAll = (
  reader: ChainReader,
  change: (transfers: ReadonlyArray<Transfer>) => ReadonlyArray<Transfer>
): ChainReader => ({
  ...reader,
  block: (hash) => Effect.map(reader.block(hash), (block) => ({ ...block, transfers: change(block.transfers) }))
})

/** Changes all amounts that a reader tells. */
const counting = (reader: ChainReader, change: (units: bigint) => bigint): ChainReader => ({
  ...telling(reader, (transfer) => ({ ...transfer, units: change(transfer.units) })),
  holdings: (addresses, at) =>
    Effect.map(reader.holdings(addresses, at), ({ block, held }) => ({
      block,
      held: held.map((one) => ({ ...one, units: change(one.units) }))
    }))
})

interface Wrong {
  /** The contracts that it pins: all where there are none. Absent: the tokens of the world. */
  readonly contracts?: ReadonlyArray<string>
  readonly of: (reader: ChainReader) => ChainReader
  /** The tests that it fails. */
  readonly failures: ReadonlyArray<string>
}

const tooSoon = "counts a block once the confirmations it asks for are there, and not before it is final"
const findsCoin = "finds coin that was sent, once and exactly"
const findsTokens = "finds tokens that were sent, by their pinned contract"
const coinTwice = "tells the transfers of coin in one transaction to one address apart"
const tokenTwice = "tells the transfers of a token in one transaction to one address apart"
const holdsCoin = "tells what an address holds as of a block that stands at its height"
const holdsTokens = "tells what an address holds of each pinned token"

const wrongs: Readonly<Record<string, Wrong>> = {
  "counts a block final the moment it is mined": {
    of: (reader) => ({ ...reader, tip: Effect.map(reader.tip, (tip) => ({ ...tip, confirmed: tip.latest.number })) }),
    failures: [tooSoon]
  },
  "counts a block final one block too soon": {
    of: (reader) => ({ ...reader, tip: Effect.map(reader.tip, (tip) => ({ ...tip, confirmed: tip.confirmed + 1 })) }),
    failures: [tooSoon]
  },
  "takes any contract for the pinned one": {
    contracts: [],
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, contract: transfer.contract && fakeToken })),
    failures: [findsTokens, "takes no other contract for a pinned one, and a transfer that failed for none"]
  },
  "takes every pinned token for the first": {
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, contract: transfer.contract && fakeToken })),
    failures: [findsTokens]
  },
  "drops memos": {
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, memo: null })),
    failures: ["reads a memo with its type, and none where none was written"]
  },
  "reads amounts through a double": {
    of: (reader) => counting(reader, (units) => BigInt(Number(units))),
    failures: [findsCoin, findsTokens, holdsCoin, holdsTokens]
  },
  "cuts amounts to 32 bits": {
    of: (reader) => counting(reader, (units) => BigInt.asUintN(32, units)),
    failures: [findsCoin, findsTokens, holdsCoin, holdsTokens]
  },
  "says that everything comes from its receiver": {
    of: (reader) => telling(reader, (transfer) => ({ ...transfer, from: transfer.to })),
    failures: [findsCoin, findsTokens]
  },
  "drops the second transfer of a token in one transaction": {
    of: (reader) =>
      tellingAll(reader, (transfers) =>
        transfers.filter(
          (one, index) => one.contract === null || transfers.findIndex(({ txHash }) => txHash === one.txHash) === index
        )
      ),
    failures: [tokenTwice]
  },
  "drops all but the first two transfers of a block": {
    of: (reader) => tellingAll(reader, (transfers) => transfers.slice(0, 2)),
    failures: [coinTwice, tokenTwice]
  },
  "numbers transfers by their place in the block": {
    of: (reader) =>
      tellingAll(reader, (transfers) => transfers.map((transfer, transferIndex) => ({ ...transfer, transferIndex }))),
    failures: ["keeps the identity of transfers whose transactions are mined again beside others"]
  }
}

const has = ["token", "memo", "sendTwice", "tokenTwice"] as const

describe("the suite of readers", () => {
  for (const [what, { contracts = fakeTokens, failures, of }] of Object.entries(wrongs)) {
    it.live(`refuses a reader that ${what}`, () =>
      Effect.gen(function* () {
        const chain = makeFakeChain({ network: "ethereum", ...(contracts.length === 0 ? {} : { contracts }) })
        const world = Layer.sync(ChainWorld, () => fakeChainWorld(chain, (serial) => `0x${serial}`, of(chain.reader)))
        const found = yield* failuresOf(world, (tests) => {
          blockTests(tests, 60_000, has)
          holdingsTests(tests, 60_000, has)
          reorgTests(tests, 60_000)
        })
        assert.deepStrictEqual(found, failures)
      })
    )
  }
})
