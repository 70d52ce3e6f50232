import { assert, describe, it } from "@effect/vitest"
import type { TransferRow } from "../../src/fiat/FiatState.ts"
import { transferAt } from "../../src/fiat/transfers.ts"
import { courseOf, type TransferOutcome } from "../../src/fiat/TransferOutcome.ts"

const row = (outcome: TransferOutcome, kind: TransferRow["kind"] = "BANK_TRANSFER"): TransferRow => ({
  id: "tr_1",
  kind,
  units: 100n,
  currency: "EUR",
  receivedUnits: 100n,
  receivedCurrency: "EUR",
  outcome,
  lost: false,
  since: 1_000
})

const table: ReadonlyArray<readonly [TransferOutcome, ReadonlyArray<string | undefined>]> = [
  ["settle", ["PROCESSING", "SENT", "SETTLED", "SETTLED", "SETTLED"]],
  ["timeout_then_settle", ["PROCESSING", "SENT", "SETTLED", "SETTLED", "SETTLED"]],
  ["fail", ["PROCESSING", "FAILED", "FAILED", "FAILED", "FAILED"]],
  ["timeout_then_fail", ["PROCESSING", "FAILED", "FAILED", "FAILED", "FAILED"]],
  ["return", ["PROCESSING", "SENT", "SETTLED", "RETURNED", "RETURNED"]],
  ["in_review", ["IN_REVIEW", "IN_REVIEW", "IN_REVIEW", "IN_REVIEW", "IN_REVIEW"]],
  ["never", [undefined, undefined, undefined, undefined, undefined]]
]

describe("the course of a transfer", () => {
  it.each(table)("%s", (outcome, statuses) => {
    const seen = statuses.map((_, step) => transferAt(row(outcome), 1_000 + step * 500, 500)?.status)
    assert.deepStrictEqual(seen, statuses)
  })

  it("runs to its end at once where steps take no time", () => {
    assert.strictEqual(transferAt(row("return"), 1_000, 0)?.status, "RETURNED")
  })

  it("waits for the money of what is to come in", () => {
    assert.deepStrictEqual(courseOf("ON_RAMP", "fail"), ["AWAITING_FUNDS", "PROCESSING", "FAILED"])
    assert.strictEqual(transferAt(row("settle", "ON_RAMP"), 1_000, 500)?.status, "AWAITING_FUNDS")
  })

  it("does not run backwards where the clock does", () => {
    assert.strictEqual(transferAt(row("settle"), 0, 500)?.status, "PROCESSING")
  })
})
