import { type Account, isAsset, isOwed, normalSide, shortfallOf } from "@bursar/core/ledger/Account"
import { assert, describe, it } from "@effect/vitest"

/** The chart of accounts once more, by hand: other tests take these rules for granted. */
const chart: ReadonlyArray<readonly [Account, "DEBIT" | "CREDIT", "owed" | "there" | "neither"]> = [
  ["float:available", "CREDIT", "owed"],
  ["float:held", "CREDIT", "owed"],
  ["account:acc_1", "CREDIT", "owed"],
  ["chain:ethereum:deposits", "DEBIT", "there"],
  ["chain:ethereum:payouts", "DEBIT", "there"],
  ["chain:ethereum:tenant", "DEBIT", "there"],
  ["custodian", "DEBIT", "there"],
  ["bank", "DEBIT", "there"],
  ["exchange", "DEBIT", "neither"],
  ["fees", "CREDIT", "neither"],
  ["network_fees", "DEBIT", "neither"],
  ["suspense", "DEBIT", "neither"],
  ["suspense:custodian", "DEBIT", "neither"],
  ["suspense:chain:ethereum:deposits", "DEBIT", "neither"]
]

describe("the chart of accounts", () => {
  it.each(chart)("%s grows by a %s and is %s", (account, side, kind) => {
    assert.strictEqual(normalSide(account), side)
    assert.strictEqual(isOwed(account), kind === "owed")
    assert.strictEqual(isAsset(account), kind === "there")
  })

  it("what is missing at a place has an account beside it", () => {
    assert.strictEqual(shortfallOf("bank"), "suspense:bank")
  })
})
