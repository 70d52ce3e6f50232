import type { Outpoint } from "@bursar/core/port/Utxo"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { agreementOf, type Conclusion } from "../../src/nodes/agreedStatus.ts"

const replaced = { _tag: "Invalidated", reason: "replaced_on_chain", by: "foreign", detail: "" } as const

const spent = (...vouts: ReadonlyArray<number>) => ({
  ...replaced,
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

describe("what nodes of two operators name as that which used up a guard", () => {
  it("may differ for several UTXOs, as each may be spent by another: then nobody knows of one of them", () => {
    for (const by of ["another", null])
      assert.deepStrictEqual(agreementOf(spent(1, 2), [elsewhere({ ...spent(2), by })]), {
        _tag: "Agreed",
        conclusion: { ...spent(2), by: null }
      })
  })

  it("contradicts each other for a number, which one transaction uses up", () => {
    assert.deepStrictEqual(agreementOf(replaced, [elsewhere({ ...replaced, by: "another" })]), { _tag: "Disputed" })
    assert.deepStrictEqual(agreementOf(replaced, [elsewhere({ ...replaced, by: null })]), {
      _tag: "Agreed",
      conclusion: { ...replaced, by: null }
    })
  })
})
