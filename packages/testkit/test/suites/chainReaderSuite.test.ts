import type { Transfer } from "@bursar/core/port/Chain"
import { Effect, Layer } from "effect"
import { makeFakeChain } from "../../src/fixtures/FakeChain.ts"
import { ChainWorld } from "../../src/suites/chain/ChainWorld.ts"
import { chainReaderSuite } from "../../src/suites/chainReaderSuite.ts"

/** The fake chain passes the suite that real readers pass, so what is tested with it is tested with a reader. */
const world = Layer.sync(ChainWorld, () => {
  const chain = makeFakeChain({ network: "ethereum" })
  let serial = 0
  const next = (prefix: string) => `0x${prefix}${(++serial).toString(16).padStart(40, "0")}`
  const mined = (to: string, contract: string | null, amounts: ReadonlyArray<bigint>) =>
    Effect.sync(() => {
      const txHash = next("aa")
      const transfers = amounts.map((units, transferIndex): Transfer => ({
        txHash,
        transferIndex,
        contract,
        units,
        from: null,
        to
      }))
      return { txHash, blockHash: chain.mine(transfers).hash }
    })
  return ChainWorld.of({
    reader: chain.reader,
    address: Effect.sync(() => next("")),
    unknownHash: `0x${"ee".repeat(32)}`,
    token: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    send: (to, units, contract) => mined(to, contract, [units]),
    sendTwice: (to, first, second) => mined(to, null, [first, second]),
    mine: (count) => Effect.sync(() => chain.mineMany(count)),
    reorg: (depth, transactions) =>
      Effect.sync(() => {
        const lost = chain.blocks().slice(-depth)
        chain.reorg(
          depth,
          lost.map((block) => (transactions === "kept" ? block.transfers : []))
        )
      }),
    breakNode: (fault) =>
      Effect.sync(() => (fault === "lagging" ? chain.setNodeLag(3) : chain.fail("unreachable", 1_000_000))),
    heal: Effect.sync(() => {
      chain.heal()
      chain.setNodeLag(0)
    })
  })
})

chainReaderSuite("FakeChain", world, { has: ["token", "sendTwice", "reorg", "faults"] })
