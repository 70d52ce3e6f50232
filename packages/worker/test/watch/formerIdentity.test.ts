import type { ChainReader, Transfer } from "@bursar/core/port/Chain"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { withFormerIdentity } from "../../src/watch/formerIdentity.ts"
import { ethereum } from "./world.ts"

const reader: ChainReader = { ...ethereum().reader, renumbered: { former: { first: 20, last: 29 }, from: 40 } }

const paid = (to: string, units: bigint, transferIndex: number): Transfer =>
  transferTo(to, units, { txHash: "0xt", transferIndex })

const recorded = (address: string, units: bigint, transferIndex: number, txHash = "0xt") => ({
  address,
  units,
  transferIndex,
  txHash
})

const places = (transfers: ReadonlyArray<Transfer>, known: Parameters<typeof withFormerIdentity>[2], chain = reader) =>
  withFormerIdentity({ chain, accountOf: undefined }, transfers, known).map(({ transferIndex }) => transferIndex)

describe("transfers that were numbered in another way when they were recorded", () => {
  it("keep the places that they have, also where several are alike", () => {
    const transfers = [paid("a", 5n, 40), paid("b", 5n, 41), paid("a", 5n, 42), paid("a", 6n, 43)]
    const known = [recorded("a", 5n, 23), recorded("a", 6n, 25), recorded("a", 5n, 21)]
    assert.deepStrictEqual(places(transfers, known), [21, 41, 23, 25])
  })

  it("keep their new places where nothing was recorded for them before", () => {
    const transfers = [paid("a", 5n, 40), paid("a", 5n, 7)]
    for (const known of [
      [],
      [recorded("a", 5n, 40)],
      [recorded("a", 5n, 7)],
      [recorded("a", 4n, 21)],
      [recorded("b", 5n, 21)],
      [recorded("a", 5n, 21, "0xother")]
    ])
      assert.deepStrictEqual(places(transfers, known), [40, 7])
  })

  it("are let alone by a network that numbers as it always did, and where they are tokens", () => {
    const known = [recorded("a", 5n, 21)]
    assert.deepStrictEqual(places([paid("a", 5n, 40)], known, ethereum().reader), [40])
    assert.deepStrictEqual(places([{ ...paid("a", 5n, 40), contract: "0xtoken" }], known), [40])
  })
})
