import type { View } from "@bursar/core/engine/View"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { newOperation } from "@bursar/core/operation/newOperation"
import type { Operation } from "@bursar/core/operation/Operation"
import type { OutboundPayment } from "@bursar/core/transaction/OutboundTransaction"
import { notItself, paysOthers } from "@bursar/core/payout/paymentsOf"
import { newPayout } from "@bursar/core/payout/Payout"
import type { Memo } from "@bursar/core/port/Chain"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"

const tenant = { id: TenantId("t"), policy: defaultPolicy }
// all of a view that a new operation takes
const view = { now: 0, newId: () => crypto.randomUUID(), tenant } as unknown as View
const contract = defaultCurrencies.byCode("USDC_BASE")?.asset?.contract ?? null

const operationOf = (units: bigint, to: string): Operation =>
  newOperation(view, {
    kind: "CHAIN_PAYOUT",
    status: "ACCEPTED",
    amount: { units, currency: "USDC_BASE" },
    network: "base",
    details: { destination: { address: to, memo: null, memo_type: null } }
  })

const paymentOf = ({ amount, details, id }: Operation): OutboundPayment => ({
  operationId: id,
  to: details.destination?.address ?? "",
  contract,
  units: amount.units,
  memo: null
})

const transaction = (...payments: ReadonlyArray<OutboundPayment>) => ({
  network: "base",
  cancelled: new Array<string>(),
  payments
})

describe("a transaction that pays operations", () => {
  const [one, other] = [operationOf(5n, "0xa"), operationOf(7n, "0xb")]

  it("pays each of them once, as it says", () => {
    const pays = (...payments: ReadonlyArray<OutboundPayment>) =>
      paysOthers(transaction(...payments), [one, other], defaultCurrencies)?.reason
    const [first, second] = [paymentOf(one), paymentOf(other)]
    assert.isUndefined(pays(first, second))
    assert.isUndefined(pays(second, first))
    const wrong: ReadonlyArray<ReadonlyArray<OutboundPayment>> = [
      [first],
      [first, first],
      [first, second, second],
      [first, { ...second, units: 8n }],
      [first, { ...second, to: "0xc" }],
      [first, { ...second, contract: null }],
      [first, { ...second, memo: { type: "text", value: "1" } }],
      [first, second, { ...second, operationId: null }],
      [first, second, { ...second, operationId: "another" }]
    ]
    for (const [index, payments] of wrong.entries()) assert.strictEqual(pays(...payments), "not_granted", String(index))
    assert.isDefined(
      paysOthers({ ...transaction(first, second), network: "ethereum" }, [one, other], defaultCurrencies)
    )
  })

  it("leaves out what was cancelled", () => {
    const both = transaction(paymentOf(one), paymentOf(other))
    assert.isUndefined(paysOthers({ ...both, cancelled: [other.id] }, [one], defaultCurrencies))
    assert.isDefined(paysOthers({ ...both, cancelled: [other.id] }, [one, other], defaultCurrencies))
  })

  it("is put together of payouts that are what their operations say", () => {
    const order = { network: "base", currency: "USDC_BASE", contract, units: 5n, to: "0xa", memo: null }
    const payout = newPayout(one.id, order, "maker")
    assert.isUndefined(notItself(one, payout))
    assert.isDefined(notItself(one, undefined))
    for (const patch of [{ units: 6n }, { to: "0xc" }, { currency: "USDT_ETH" }, { network: "ethereum" }])
      assert.strictEqual(
        notItself(one, { ...payout, ...patch })?.reason,
        "not_granted",
        JSON.stringify(Object.keys(patch))
      )
  })

  it("is put together of payouts with the memo of their operation, if it has one", () => {
    const order = { network: "base", currency: "USDC_BASE", contract, units: 5n, to: "0xa" }
    const memo = { type: "id", value: "7" } as const
    const remembered: Operation = {
      ...one,
      details: { destination: { address: "0xa", memo: memo.value, memo_type: memo.type } }
    }
    const isItself = (operation: Operation, written: Memo | null) =>
      notItself(operation, newPayout(one.id, { ...order, memo: written }, "maker")) === undefined
    assert.isTrue(isItself(remembered, memo))
    assert.isTrue(isItself({ ...one, details: { destination: { address: "0xa" } } }, null), "as it once was written")
    for (const other of [null, { ...memo, value: "8" }, { ...memo, type: "text" }] as const)
      assert.isFalse(isItself(remembered, other), JSON.stringify(other))
    assert.isFalse(isItself(one, memo))
    assert.isFalse(isItself({ ...one, kind: "WITHDRAWAL" }, null), "nor is it another kind of operation")
    assert.isFalse(isItself({ ...one, details: {} }, null), "nor one that is to nobody")
  })
})
