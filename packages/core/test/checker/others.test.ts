import { usedQuotes } from "@bursar/core/checker/accountInvariants"
import { assignedArrivals } from "@bursar/core/checker/assignmentInvariant"
import { creditedDeposits } from "@bursar/core/checker/recordInvariants"
import { refunds } from "@bursar/core/checker/refundInvariant"
import { sweepableSubject } from "@bursar/core/checker/subjects"
import { sweepable, sweptDeposits } from "@bursar/core/checker/sweepInvariants"
import { payoutsInTransactions, transactionGuards } from "@bursar/core/checker/transactionInvariants"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "../transfer/operationOf.ts"
import { foundBy, type Rows } from "./foundBy.ts"

const deposit = { network: "base", txHash: "0x1", transferIndex: 0, depositId: "d" } as const

const transaction = (id: string, account: string) => ({
  ...{ id, network: "base", purpose: "PAYOUT", phase: "SIGNED", outcome: null, hashes: [], freed: [] },
  ...{ givenUpAfter: null, guard: { _tag: "Sequence", account, sequence: 1n } },
  payments: [{ operationId: "p", to: "0xa", contract: null, units: 9n }]
})

const sweep = (id: string) => ({
  ...{ id, network: "base", addressId: "i", address: "0xa", currency: "ETH_BASE", contract: null, units: 5n },
  ...{ state: "SWEEP_SIGNED", sweepTransactionId: "t", topUpTransactionId: null, closedAt: null, deposits: [deposit] }
})

const arrival = {
  ...{ ...deposit, addressId: "i", address: "0xa", currency: "ETH_BASE", contract: null, units: 5n },
  ...{ gone: false, sweepId: "s", bookedBy: null }
}

/** Rows that are wrong together, by the subject that is wrong: who does not have that subject sees them in part, as they are filed under others. */
const cases: ReadonlyArray<readonly [string, Parameters<typeof foundBy>[0], object]> = [
  [
    "q",
    usedQuotes,
    { operation: ["o", "p"].map((id) => operationOf("BANK_TRANSFER", { id, details: { quote_id: "q" } })) }
  ],
  [
    "c",
    creditedDeposits,
    { operation: [operationOf("BANK_TRANSFER", { id: "r", kind: "REVERSAL", details: { reverses: "c" } })] }
  ],
  ["c", creditedDeposits, { deposit: [{ id: "d", creditedBy: "c", currency: "EUR", units: 1n, ownUnits: 0n }] }],
  ["f", refunds, { operation: [operationOf("REFUND", { id: "o", details: { refund_of: "f" } })] }],
  ["a", assignedArrivals, { operation: [operationOf("BANK_TRANSFER", { id: "o", details: { assigns: "a" } })] }],
  ["p", payoutsInTransactions, { transaction: [transaction("t", "0xv"), transaction("u", "0xw")] }],
  [
    "sequence:base|0xw|1",
    transactionGuards,
    { transaction: [transaction("t", "0xw"), { ...transaction("u", "0xw"), payments: [] }] }
  ],
  [
    "t",
    sweptDeposits,
    { transaction: [{ ...transaction("t", "0xw"), purpose: "SWEEP" }], sweepable: [arrival], sweep: [sweep("s")] }
  ],
  [
    sweepableSubject(deposit),
    sweptDeposits,
    { sweepable: [arrival], sweep: [sweep("s"), { ...sweep("u"), state: "SWEPT", closedAt: 1 }] }
  ],
  ["d", sweepable, { sweepable: [{ ...arrival, gone: true }] }]
]

describe("what belongs together", () => {
  for (const [subject, rule, rows] of cases)
    it(`is judged by the rule on ${rule.name} where all of it is seen, under ${subject}`, () => {
      const some = rows as Rows // all of them that is looked at
      assert.isDefined(foundBy(rule, some, (one) => one === subject || one === "s"))
      assert.strictEqual(foundBy(rule, some, (one) => one !== subject && one !== "u") ?? "nothing", "nothing")
    })

  it("names what it follows on, also where that is nobody's", () => {
    const operation = [operationOf("BANK_TRANSFER", { id: "r", kind: "REVERSAL", details: {} })]
    const found = foundBy(creditedDeposits, { operation }, (one) => one === "r")
    assert.strictEqual(found, "operation r takes back nothing that it names")
  })
})
