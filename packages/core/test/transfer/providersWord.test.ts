import type { View } from "@bursar/core/engine/View"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { refused, unknown } from "@bursar/core/port/ProviderResult"
import { arrivalFee, feeTerms } from "@bursar/core/transfer/arrivalFee"
import { bankSaid } from "@bursar/core/transfer/bankSaid"
import { isOverruled, overruledBy } from "@bursar/core/transfer/overruled"
import { paidElsewhereThanSeen, type PayerSeen, refundableOf, refundSourceOf } from "@bursar/core/transfer/refund"
import { payeeDetails, transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { askAgain, returnWatchMs } from "@bursar/core/transfer/transferQueue"
import { withDetails } from "@bursar/core/transfer/transferCase"
import { transferContradiction } from "@bursar/core/transfer/transferContradiction"
import { payeeOfSender } from "@bursar/core/transfer/sender"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "./operationOf.ts"
import { says, sender } from "./world.ts"

const eur = defaultCurrencies.byCode("EUR") ?? assert.fail("there is no EUR")

describe("what a bank said, in short", () => {
  it("is the same for the same, whatever reason it words, and tells all that counts apart", () => {
    assert.strictEqual(bankSaid(says("SENT", { reason: "one" })), bankSaid(says("SENT", { reason: "two" })))
    assert.isUndefined(bankSaid(unknown("503")))
    const all = [
      refused("no"),
      says("SENT"),
      says("PROCESSING"),
      says("SENT", { providerReference: "t-2" }),
      says("SETTLED"),
      says("SETTLED", { received: null }),
      says("SETTLED", { received: of(10_000n, "USD") }),
      says("SETTLED", { received: of(10_001n, "EUR") }),
      says("SETTLED", { received: null, returned: of(10_000n, "EUR") })
    ].map(bankSaid)
    assert.strictEqual(new Set(all).size, all.length)
    assert.strictEqual(all[0], "denied")
  })
})

describe("the fee of what arrives", () => {
  const onePercent = feeTerms(
    flatFee(0n, 0, { percent: { units: 1n, decimals: 0 }, minimumFee: { units: 5n, decimals: 1 } })
  )
  const agreed = (details: Operation["details"], fee = 100n) =>
    operationOf("ON_RAMP", { customerFee: of(fee, "EUR"), details })

  it("is what was agreed for what was announced, and for less no more than that", () => {
    const dear = agreed({ fee_terms: { percent: "50", minimum_fee: "0" } })
    for (const units of [10_000n, 9_999n]) assert.strictEqual(arrivalFee(dear, units, eur), 100n, String(units))
    assert.strictEqual(arrivalFee(dear, 10_001n, eur), 5_001n, "and for more by the rule")
    assert.strictEqual(arrivalFee(dear, 100n, eur), 50n, "a smaller fee is the smaller")
  })

  it("is that of the rule that held when it was accepted, with its minimum", () => {
    assert.deepStrictEqual(onePercent, { percent: "1", minimum_fee: "0.5" })
    const kept = agreed({ fee_terms: onePercent })
    assert.strictEqual(arrivalFee(kept, 20_000n, eur), 200n)
    assert.strictEqual(arrivalFee(kept, 1_000n, eur), 50n)
  })

  it("is nothing where there was no rule, and not known where none was kept or it cannot be read", () => {
    assert.isNull(feeTerms(undefined))
    assert.strictEqual(arrivalFee(agreed({ fee_terms: null }), 20_000n, eur), 0n)
    assert.strictEqual(arrivalFee(agreed({}, 0n), 20_000n, eur), 0n, "it was free")
    assert.isUndefined(arrivalFee(agreed({}), 20_000n, eur))
    assert.strictEqual(arrivalFee(agreed({ fee_terms: onePercent }, 0n), 20_000n, eur), 200n)
    for (const terms of [
      { percent: "x", minimum_fee: "0" },
      { percent: "1", minimum_fee: "x" }
    ])
      assert.isUndefined(arrivalFee(agreed({ fee_terms: terms }), 20_000n, eur))
  })
})

describe("an amount that operators decided against", () => {
  const settled = operationOf("OFF_RAMP", {
    toAmount: of(900n, "EUR"),
    details: { told: { units: "1000", currency: "EUR" } }
  })
  const decided = (units: bigint, operation: Operation = settled): Operation => ({
    ...operation,
    details: withDetails(operation, overruledBy(operation, of(units, "EUR")))
  })

  it("is the one that was booked or the one that was told, where they decided otherwise", () => {
    for (const [units, booked, told] of [
      [900n, false, true],
      [1_000n, true, false],
      [800n, true, true]
    ] as const) {
      const after = decided(units)
      assert.strictEqual(isOverruled(after, of(900n, "EUR")), booked, `${units}`)
      assert.strictEqual(isOverruled(after, of(1_000n, "EUR")), told, `${units}`)
      assert.isFalse(isOverruled(after, of(units, "EUR")), `${units}`)
      assert.isFalse(isOverruled(after, of(1_000n, "USD")), "another currency is another amount")
    }
    assert.isFalse(isOverruled(settled, of(900n, "EUR")), "nobody has decided anything")
  })

  it("stays so, and stands there once", () => {
    const twice = decided(700n, decided(800n))
    assert.deepStrictEqual(twice.details.overruled, [
      { units: "900", currency: "EUR" },
      { units: "1000", currency: "EUR" }
    ])
    assert.deepStrictEqual(decided(900n, decided(800n)).details.overruled, [{ units: "1000", currency: "EUR" }])
    assert.deepStrictEqual(overruledBy({ ...settled, toAmount: null, details: {} }, of(1n, "EUR")), { overruled: [] })
  })

  it("of an ON_RAMP is what arrived", () => {
    const onRamp = operationOf("ON_RAMP", { toAmount: of(1n, "EUR"), details: { arrived: "500" } })
    assert.deepStrictEqual(overruledBy(onRamp, of(7n, "EUR")), { overruled: [{ units: "500", currency: "EUR" }] })
  })
})

describe("what a provider says of a transfer of which nothing can become any more", () => {
  const out = operationOf("BANK_TRANSFER", { status: "FAILED" })
  const onRamp = operationOf("ON_RAMP", { status: "FAILED" })
  const back = (units: bigint, currency = "EUR") => ({ returned: of(units, currency) })

  it("contradicts the books where something would have come of it", () => {
    for (const operation of [out, onRamp]) {
      for (const answer of [unknown("503"), refused("no"), says("FAILED"), says("UNRESOLVED"), says("RETURNED")])
        assert.isUndefined(transferContradiction(operation, answer), JSON.stringify(answer._tag))
      for (const status of ["SETTLED", "SENT", "PROCESSING", "AWAITING_FUNDS", "IN_REVIEW"] as const)
        assert.deepStrictEqual(transferContradiction(operation, says(status)), {
          said: status === "SETTLED" ? "it says SETTLED with 10000 base units of EUR" : `it says ${status}`,
          moved: status === "SETTLED"
        })
      assert.isDefined(transferContradiction(operation, says("RETURNED", back(9_999n))))
      assert.isDefined(transferContradiction(operation, says("RETURNED", back(10_000n, "USD"))))
    }
  })

  it("contradicts them by more than there was, but for money that came in: nobody knew how much", () => {
    const more = says("RETURNED", back(10_001n))
    assert.isDefined(transferContradiction(out, more))
    assert.isUndefined(transferContradiction(onRamp, more))
    const came = { received: of(20_000n, "EUR") }
    assert.isDefined(transferContradiction(onRamp, says("RETURNED", { ...back(19_999n), ...came })))
    assert.isUndefined(transferContradiction(onRamp, says("RETURNED", { ...back(20_000n), ...came })))
  })

  it("says nothing where it tells no amount, unless it says that something was received", () => {
    assert.isUndefined(transferContradiction(out, says("RETURNED", { returned: null })))
    const received = says("RETURNED", { returned: null, received: of(10_000n, "EUR") })
    assert.isDefined(transferContradiction(out, received))
  })
})

describe("when a provider is asked about a transfer again", () => {
  const day = 86_400_000
  const dueIn = (operation: Operation, now: number) => {
    const change = askAgain(operation, now)
    if (change._tag !== "Scheduled") return assert.fail(change._tag)
    return change.dueAt === null ? null : change.dueAt - now
  }

  it("is soon at first and every quarter of an hour in the end, from when it was sent", () => {
    const sent = operationOf("BANK_TRANSFER", { details: { sent_at: 100_000 } })
    assert.deepStrictEqual(
      [0, 4_000, 8_000, 3_600_000, 10 * day].map((age) => dueIn(sent, 100_000 + age)),
      [1_000, 1_000, 2_000, 900_000, 900_000]
    )
    assert.strictEqual(dueIn(operationOf("BANK_TRANSFER", { createdAt: 60_000 }), 68_000), 2_000, "or was made")
  })

  it("is ever more seldom after it settled, for ninety days, and longer while something is unresolved", () => {
    for (const status of ["SETTLED", "RETURNED"] as const) {
      const details = status === "RETURNED" ? { returned: "1" } : {}
      const settled = operationOf("BANK_TRANSFER", { status, settledAt: 100_000, createdAt: 7, details })
      assert.deepStrictEqual(
        [0, 40_000, 4 * day, 40 * day, returnWatchMs - 1, returnWatchMs].map((age) => dueIn(settled, 100_000 + age)),
        [5_000, 10_000, day, 3 * day, 3 * day, null],
        status
      )
      assert.strictEqual(dueIn({ ...settled, unresolved: true }, 100_000 + returnWatchMs), 3 * day)
      assert.strictEqual(dueIn({ ...settled, settledAt: null }, 7 + 40_000), 10_000, "since it was made")
    }
    assert.strictEqual(returnWatchMs, 90 * day)
  })
})

describe("the order of a transfer", () => {
  it("is none for what no provider of transfers carries out", () => {
    for (const kind of ["SWAP", "WITHDRAWAL", "INTERNAL_TRANSFER"] as const)
      assert.isUndefined(transferOrderOf({ ...operationOf("REFUND"), kind }))
  })

  it("says when it was sent, and a currency only where that is another", () => {
    const order = (details: Operation["details"]) =>
      transferOrderOf(operationOf("OFF_RAMP", { createdAt: 5, details })) ?? assert.fail("there is none")
    assert.deepInclude(order({}), { sentAt: 5, toCurrency: null, payee: null, rail: null, providerCustomerId: null })
    const told = order({ sent_at: 9, to_currency: "GBP", rail: "SEPA", provider_customer_id: "c" })
    assert.deepInclude(told, { sentAt: 9, toCurrency: "GBP", rail: "SEPA", providerCustomerId: "c" })
    assert.isNull(order({ to_currency: "EUR" }).toCurrency)
  })
})

describe("a refund", () => {
  const refund = operationOf("REFUND", {
    amount: of(4_000n, "EUR"),
    details: { refund_of: "source", payee: payeeDetails(payeeOfSender(sender)) }
  })
  const seen = (more: Partial<Extract<PayerSeen, { _tag: "Told" }>> = {}): PayerSeen => ({
    _tag: "Told",
    status: "SETTLED",
    source: "source",
    providerReference: "t-1",
    sender,
    received: of(4_000n, "EUR"),
    returned: null,
    ...more
  })
  // all of a view that is looked at: what the refund pays back, of which 1,000 came back
  const viewOf = (resolution: Pick<Operation["details"], "resolution" | "said"> = {}) =>
    ({
      get: (_of: unknown, id: string) =>
        id === "source"
          ? operationOf("ON_RAMP", {
              id,
              status: "RETURNED",
              details: { returned: "1000", refunded: "4000", ...resolution }
            })
          : undefined
    }) as unknown as View
  const view = viewOf()

  it("goes where the provider says that the money came from, and no more of it than came", () => {
    const back = { status: "RETURNED", returned: of(1_000n, "EUR") } as const
    const whole = { received: of(5_000n, "EUR") }
    for (const right of [seen(), seen({ received: null }), seen({ ...whole, ...back })])
      assert.isUndefined(paidElsewhereThanSeen(view, refund, right))
    const wrong: ReadonlyArray<PayerSeen | undefined> = [
      undefined,
      seen({ source: "another" }),
      { _tag: "Unknown", source: "source", detail: "503" },
      seen({ sender: null }),
      seen({ sender: { ...sender, iban: "PT50000201239876543210157" } }),
      seen({ received: of(3_999n, "EUR") }),
      seen({ received: of(4_000n, "USD") }),
      seen(back),
      seen({ ...back, received: of(6_000n, "EUR"), returned: of(1_001n, "EUR") }),
      seen({ ...whole, status: "FAILED" }),
      seen({ ...whole, status: "UNRESOLVED" })
    ]
    for (const one of wrong)
      assert.strictEqual(
        paidElsewhereThanSeen(view, refund, one)?.reason,
        "payer_not_confirmed",
        JSON.stringify(one?._tag)
      )
    const toNobody = { ...refund, details: { refund_of: "source" } }
    assert.isDefined(paidElsewhereThanSeen(view, toNobody, seen()))
    assert.isUndefined(
      paidElsewhereThanSeen(view, { ...refund, kind: "BANK_TRANSFER" }, undefined),
      "no other is asked"
    )
  })

  it("goes where the provider says that some went back, and not how much, once operators have stated that", () => {
    const told = seen({ status: "RETURNED", received: null })
    const stated = (outcome: string, units: string) => ({
      resolution: { outcome, at: 1, received_units: units, received_currency: "EUR" },
      said: "RETURNED t-1"
    })
    assert.isUndefined(paidElsewhereThanSeen(viewOf(stated("RETURNED", "1000")), refund, told))
    // what is booked is a part of which the provider had told before, and how much is gone by now nobody has said
    for (const other of [{}, stated("SETTLED", "5000"), stated("SETTLED", "1000"), stated("RETURNED", "500")])
      assert.isDefined(paidElsewhereThanSeen(viewOf(other), refund, told))
    // nor had they heard of it
    for (const said of ["SETTLED t-1", "RETURNED t-2", "RETURNED t-1 received 4000 EUR"])
      assert.isDefined(paidElsewhereThanSeen(viewOf({ ...stated("RETURNED", "1000"), said }), refund, told), said)
  })

  it("has a source, and nothing else has", () => {
    assert.strictEqual(refundSourceOf(refund), "source")
    assert.isUndefined(refundSourceOf({ ...refund, kind: "BANK_TRANSFER" }))
    assert.isUndefined(refundSourceOf({ ...refund, details: {} }))
    assert.isUndefined(refundSourceOf({ ...refund, details: { refund_of: null } }))
  })

  it("pays back what was credited and is still there", () => {
    const credited = operationOf("ON_RAMP", { status: "SETTLED", settledAt: 1, toAmount: of(10_000n, "EUR") })
    const refundable = (more: Partial<Operation>) => refundableOf({ ...credited, ...more })
    assert.strictEqual(refundable({}), 10_000n)
    assert.strictEqual(refundable({ details: { arrived: "8000" } }), 8_000n)
    assert.strictEqual(refundable({ toAmount: of(7_000n, "EUR") }), 7_000n, "by the rule of old, what was quoted")
    assert.strictEqual(refundable({ toAmount: null }), 10_000n)
    assert.strictEqual(refundable({ details: { returned: "4000" } }), 6_000n)
    for (const nothing of [
      { kind: "BANK_TRANSFER" },
      { settledAt: null },
      { details: { suspended: true } },
      { details: { returned: "10000" } },
      { details: { returned: "10001" } }
    ] as const)
      assert.strictEqual(refundable(nothing), 0n, JSON.stringify(nothing))
  })
})
