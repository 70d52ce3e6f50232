import type { Operation, OperationKind } from "@bursar/core/operation/Operation"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { receiverOf } from "../src/handlers/operator/receiver.ts"

const view = { newId: () => crypto.randomUUID(), now: past, tenant: tenantRecord(past) }

/** An operation of a kind whose row says all of this, whether its kind has it or not. */
const saying = (kind: OperationKind, details: object): Operation =>
  bareOperation(view, {
    kind,
    details: details as Operation["details"] // a row can say more than its kind has
  })

const nobody = { receiver: null, receiver_name: null, receiver_bank: null, memo: null, new_receiver: false }

const destination = { address: "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", memo: "4711" }
const payee = { name: "Ana Silva", account_number: "31926819", sort_code: "601613" }

describe("whom an operation pays", () => {
  for (const kind of ["CHAIN_PAYOUT", "WITHDRAWAL"] as const)
    it(`is an address with its memo for a ${kind}, whatever else its row says`, () => {
      assert.deepStrictEqual(receiverOf(saying(kind, { destination, payee, new_address: true })), {
        ...nobody,
        receiver: destination.address,
        memo: "4711",
        new_receiver: true
      })
    })

  it("is told with the type of the memo, as a request would name it", () => {
    const memoOf = (kind: OperationKind, memo: object) =>
      receiverOf(saying(kind, { destination: { address: destination.address, ...memo } })).memo
    const payout = (memo_type: string | null, memo: string | null) => memoOf("CHAIN_PAYOUT", { memo, memo_type })
    assert.strictEqual(payout("id", "4711"), "id:4711")
    assert.strictEqual(payout("text", "4711"), "4711")
    assert.strictEqual(payout("text", "id:4711"), "text:id:4711")
    assert.strictEqual(payout("return", "ab".repeat(32)), `return:${"ab".repeat(32)}`)
    assert.isNull(payout(null, null))
    // operators have named that of a destination so themselves
    assert.strictEqual(memoOf("WITHDRAWAL", { memo: "id:4711" }), "id:4711")
  })

  for (const kind of ["BANK_TRANSFER", "OFF_RAMP", "REFUND"] as const)
    it(`is an account, its holder and its bank for a ${kind}, whatever else its row says`, () => {
      assert.deepStrictEqual(receiverOf(saying(kind, { destination, payee })), {
        ...nobody,
        receiver: "31926819",
        receiver_name: "Ana Silva",
        receiver_bank: "601613"
      })
    })

  for (const kind of ["DEPOSIT", "SWAP", "INTERNAL_TRANSFER", "ADJUSTMENT"] as const)
    it(`is nobody for a ${kind}`, () => {
      assert.deepStrictEqual(receiverOf(saying(kind, { destination, payee })), nobody)
    })
})
