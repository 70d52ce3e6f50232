import type { Outpoint } from "@bursar/core/port/Utxo"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { agreementOf, type Conclusion } from "../../src/nodes/agreedStatus.ts"

const spent = (...vouts: ReadonlyArray<number>): Conclusion => ({
  _tag: "Invalidated",
  reason: "replaced_on_chain",
  by: "foreign",
  detail: "",
  spent: vouts.map((vout): Outpoint => ({ txHash: "aa", vout }))
})

const elsewhere = (status: Conclusion) => ({ node: "theirs", answer: Result.succeed({ confirmed: 9, status }) })

describe("which UTXOs foreign transactions have spent", () => {
  it("is what nodes of two operators have both found, in whatever order", () => {
    for (const [said, there, both] of [
      [spent(1, 2), spent(2, 1), spent(1, 2)],
      [spent(1, 2), spent(2), spent(2)],
      [spent(1), spent(1, 2), spent(1)]
    ] as const)
      assert.deepStrictEqual(agreementOf(said, [elsewhere(there)]), { _tag: "Agreed", conclusion: both })
  })

  it("is not known while they have found none in common: none is spent by the word of one", () => {
    assert.deepStrictEqual(agreementOf(spent(1), [elsewhere(spent(2))]), { _tag: "Behind" })
    assert.deepStrictEqual(agreementOf(spent(1), [elsewhere(spent())]), { _tag: "Behind" })
  })
})
