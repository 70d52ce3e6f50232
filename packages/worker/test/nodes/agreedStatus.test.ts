import type { Outpoint } from "@bursar/core/port/Utxo"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { agreementOf, type Conclusion } from "../../src/nodes/agreedStatus.ts"

const left = (...vouts: ReadonlyArray<number>): Conclusion => ({
  _tag: "Invalidated",
  reason: "replaced_on_chain",
  by: "foreign",
  detail: "",
  unspent: vouts.map((vout): Outpoint => ({ txHash: "aa", vout }))
})

const elsewhere = (status: Conclusion) => ({ node: "theirs", answer: Result.succeed({ confirmed: 9, status }) })

describe("which UTXOs a foreign transaction has left", () => {
  it("is what nodes of two operators say alike, in whatever order", () => {
    assert.deepStrictEqual(agreementOf(left(1, 2), [elsewhere(left(2, 1))]), {
      _tag: "Agreed",
      conclusion: left(1, 2)
    })
  })

  it("is not known while they differ: neither can have one counted as spent, or as free", () => {
    assert.deepStrictEqual(agreementOf(left(1, 2), [elsewhere(left(1))]), { _tag: "Behind" })
    assert.deepStrictEqual(agreementOf(left(), [elsewhere(left(1))]), { _tag: "Behind" })
  })
})
