import type { Transfer } from "@bursar/core/port/Chain"
import type { Proof } from "@bursar/core/port/ChainSender"
import { claimedTransfers, notProven } from "@bursar/network-kit/claims"
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
const saying = (
  transfers: ReadonlyArray<Transfer>,
  senders: ReadonlyArray<string> = ["payer"],
  wrongMemo: (transfer: Transfer) => Proof | undefined = () => undefined
): string => {
  const claimed = { txHash: "hash", contract: "usdc", units: 5n, to: "receiver", senders, memo: null }
  const reaches = ({ to }: Transfer) => to === "receiver"
  const said = claimedTransfers(claimed, transfers, { native: "XLM", reaches, wrongMemo })
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

  it("is refuted where what came from nobody cannot make up its amount, whoever sent that", () => {
    assert.strictEqual(saying([moved(null, 4n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved(null, 6n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved(null, 2n), moved(null, 2n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved("payer", 2n), moved(null, 2n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved("payer", 2n), moved(null, 4n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved("payer", 7n), moved(null, 2n)]), "NOT_PROVEN")
    assert.strictEqual(saying([moved("another", 5n), moved(null, 4n)]), "NOT_PROVEN")
  })

  it("is not refuted where some of what came from nobody can make up its amount", () => {
    assert.strictEqual(saying([moved("payer", 2n), moved(null, 3n), moved(null, 9n)]), "UNREADABLE")
    assert.strictEqual(saying([moved("payer", 7n), moved(null, 5n)]), "UNREADABLE")
  })

  it("is refuted by another memo, also where what came from nobody can make up its amount", () => {
    const wrongMemo = ({ units }: Transfer) => (units === 5n ? notProven("The memo was another.") : undefined)
    assert.strictEqual(saying([moved("payer", 5n)], ["payer"], wrongMemo), "NOT_PROVEN")
    assert.strictEqual(saying([moved(null, 5n)], ["payer"], wrongMemo), "NOT_PROVEN")
    // a part that brought its memo otherwise
    assert.strictEqual(saying([moved(null, 5n), moved(null, 3n), moved(null, 2n)], ["payer"], wrongMemo), "UNREADABLE")
  })

  it("is true of what came from nobody where it accepts any sender", () => {
    assert.strictEqual(saying([moved(null, 5n)], []), "PROVEN")
    assert.strictEqual(saying([moved(null, 4n)], []), "NOT_PROVEN")
  })
})
