import { contradiction } from "@bursar/core/custody/contradiction"
import type { Operation } from "@bursar/core/operation/Operation"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { done } from "@bursar/core/port/ProviderResult"
import { operationOf } from "../operation/world.ts"
import { assert, describe, it } from "@effect/vitest"

const [first, second] = ["ab".repeat(32), "cd".repeat(32)]
const booked = `0x${first}`

/** What a custodian says against the books of a withdrawal that operators have proven by a transaction, where it has settled it. */
const said = (
  providerReference: string,
  details: Operation["details"],
  told: string | null,
  txHash: string | null = booked
) =>
  contradiction(
    operationOf("WITHDRAWAL", { status: "SETTLED", providerReference, txHash, details }),
    done<WithdrawalState>({ _tag: "Settled", providerReference: "c-9", txHash: told, networkFee: null })
  )

const cases = [
  ["before it was kept what the custodian had told", booked, {}],
  ["where the custodian had told no id", booked, { told_reference: null }],
  ["under the very id that operators stated", "c-9", {}]
] as const

describe("a withdrawal that operators have proven by a transaction", () => {
  for (const [what, reference, details] of cases) {
    it(`was paid twice where its custodian names another one, ${what}`, () => {
      for (const told of [`0x${second}`, second.toUpperCase(), `0x${second}:1`])
        assert.deepStrictEqual(said(reference, details, told), {
          said: `it says that the transaction ${second} has settled it`,
          moved: true
        })
    })

    it(`was not where it names the same, or none, ${what}`, () => {
      for (const told of [booked, first.toUpperCase(), `${first}:0`, null, "internal transfer 17"])
        assert.isUndefined(said(reference, details, told), String(told))
      assert.isUndefined(said("c-9", details, `0x${second}`, null), "none is booked")
    })
  }
})
