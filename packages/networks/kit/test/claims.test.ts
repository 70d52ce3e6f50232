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

/** Judges a claim of 5 units by what a transaction moved. */
const judged = (
  transfers: ReadonlyArray<Transfer>,
  senders: ReadonlyArray<string> = ["payer"],
  wrongMemo: (transfer: Transfer) => Proof | undefined = () => undefined
) => {
  const claimed = { txHash: "hash", contract: "usdc", units: 5n, to: "receiver", senders, memo: null }
  const reaches = ({ to }: Transfer) => to === "receiver"
  return claimedTransfers(claimed, transfers, { native: "XLM", reaches, wrongMemo })
}

/** What is said of such a claim. */
const saying = (...claim: Parameters<typeof judged>): string => {
  const said = judged(...claim)
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

  it("is true of a part that brought its memo, whatever another part of the transaction brought", () => {
    const wrongMemo = ({ units }: Transfer) => (units === 7n ? notProven("The memo was another.") : undefined)
    assert.strictEqual(saying([moved("payer", 7n), moved("payer", 5n)], [], wrongMemo), "PROVEN")
    assert.strictEqual(saying([moved("payer", 2n), moved("payer", 7n), moved("payer", 3n)], [], wrongMemo), "PROVEN")
    // nothing of the amount brought the memo
    assert.strictEqual(saying([moved("payer", 7n), moved("payer", 4n)], [], wrongMemo), "NOT_PROVEN")
  })

  it("is denied for its memo where only a part with another one makes up its amount", () => {
    const denied = notProven("The memo was another.")
    const wrongMemo = ({ units }: Transfer) => (units === 5n || units === 3n ? denied : undefined)
    const reason = (transfers: ReadonlyArray<Transfer>) => {
      const said = judged(transfers, ["payer"], wrongMemo)
      return Result.isFailure(said) ? said.failure : said.success
    }
    assert.deepStrictEqual(reason([moved("payer", 5n), moved("payer", 1n)]), denied)
    assert.deepStrictEqual(reason([moved("payer", 2n), moved("payer", 3n)]), denied)
    assert.deepStrictEqual(reason([moved("payer", 3n), moved(null, 2n)]), denied)
  })

  it("is not denied for its memo where a part from nobody brought it", () => {
    const wrongMemo = ({ from }: Transfer) => (from === "payer" ? notProven("The memo was another.") : undefined)
    assert.strictEqual(saying([moved("payer", 5n), moved(null, 5n)], ["payer"], wrongMemo), "UNREADABLE")
  })

  it("is true of the part alone that is its amount, not of what else reached the receiver", () => {
    const said = judged([moved("another", 2n), moved("payer", 5n)], [])
    assert.deepStrictEqual(Result.isSuccess(said) && said.success, [moved("payer", 5n)])
  })

  it("is true of what came from nobody where it accepts any sender", () => {
    assert.strictEqual(saying([moved(null, 5n)], []), "PROVEN")
    assert.strictEqual(saying([moved(null, 4n)], []), "NOT_PROVEN")
  })
})

describe("a claim of what the receiver sent to itself", () => {
  it("is not true, whoever is named as its sender", () => {
    assert.strictEqual(saying([moved("receiver", 5n)], []), "NOT_PROVEN")
    assert.strictEqual(saying([moved("receiver", 5n)], ["receiver"]), "NOT_PROVEN")
  })

  it("counts only what came beside it", () => {
    assert.strictEqual(saying([moved("payer", 2n), moved("receiver", 3n)], []), "NOT_PROVEN")
    assert.strictEqual(saying([moved("payer", 5n), moved("receiver", 3n)], []), "PROVEN")
  })
})
