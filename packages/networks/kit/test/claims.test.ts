import type { Transfer } from "@bursar/core/port/Chain"
import { claimedTransfers } from "@bursar/network-kit/claims"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const moved = (from: string | null, units: bigint, to = "receiver"): Transfer => ({
  txHash: "hash",
  transferIndex: 0,
  contract: "usdc",
  units,
  from,
  to
})

/** What is said of a claim of 5 units by what reached its receiver. */
const saying = (transfers: ReadonlyArray<Transfer>, senders: ReadonlyArray<string> = ["payer"]): string => {
  const claimed = { txHash: "hash", contract: "usdc", units: 5n, to: "receiver", senders, memo: null }
  const said = claimedTransfers(claimed, transfers, { native: "XLM", reaches: ({ to }) => to === "receiver" })
  return Result.isSuccess(said) ? "PROVEN" : said.failure.verdict
}

describe("a claim that names its senders", () => {
  it("is true of what one of them sent, in one part or several", () => {
    assert.strictEqual(saying([moved("payer", 5n)]), "PROVEN")
    assert.strictEqual(saying([moved("payer", 2n), moved("payer", 3n)]), "PROVEN")
    assert.strictEqual(saying([moved("payer", 5n), moved(null, 7n)]), "PROVEN")
  })

  it("is not true of what another sent, or of another amount", () => {
    assert.strictEqual(saying([moved("another", 5n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved("payer", 4n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved(null, 5n, "another")]), "NOT_PROVEN")
  })

  it("is neither proven nor refuted by what reached the receiver from nobody", () => {
    assert.strictEqual(saying([moved(null, 5n)]), "UNREADABLE")
    assert.strictEqual(saying([moved("another", 5n), moved(null, 5n)]), "UNREADABLE")
    assert.strictEqual(saying([moved("payer", 2n), moved(null, 3n)]), "UNREADABLE")
  })

  it("is true of what came from nobody where it accepts any sender", () => {
    assert.strictEqual(saying([moved(null, 5n)], []), "PROVEN")
    assert.strictEqual(saying([moved(null, 4n)], []), "NOT_PROVEN")
  })
})
