import { recordCheck } from "@bursar/core/customer/checkCommands"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { Operation } from "@bursar/core/operation/Operation"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { refused, unknown } from "@bursar/core/port/ProviderResult"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { withDetails } from "@bursar/core/transfer/transferCase"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { payee } from "@bursar/testkit/fixtures/people"
import { rewriteKind } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  accept,
  baseRequest,
  eventsOf,
  float,
  hear,
  keyed,
  paidIn,
  payer,
  referenceOf,
  says,
  send,
  sender,
  store,
  submit,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const provider = { name: "fake", environment: "LIVE" } as const

/** One dollar a euro, now. */
const dollar = Effect.map(Clock.currentTimeMillis, (observedAt) => ({
  price: { units: 1n, decimals: 0 },
  source: "test",
  observedAt
}))

const tried = (tenant: TenantId, more: Partial<TransferRequest> = {}) =>
  Effect.map(keyed(tenant, createTransfer(baseRequest(more))), (made) =>
    typeof made === "string" ? made : made.status
  )

const onRamp = { kind: "ON_RAMP", payee: null } as const

const stored = (tenant: TenantId, { id }: Operation) =>
  Effect.flatMap(Queries, (queries) => queries.operation(tenant, id)).pipe(
    Effect.map((found) => found ?? assert.fail("the operation is gone"))
  )

const isDue = Effect.fnUntraced(function* ({ id }: Operation) {
  const jobs = yield* (yield* JobQueue).due(transferQueue, Number.MAX_SAFE_INTEGER, 100)
  return jobs.some(({ key }) => key === id)
})

/** Writes an operation, as whoever writes to the database can. */
const rewrite = (operation: Operation): Command<null> => ({
  name: "Rewrite",
  reads: [],
  decide: () => Result.succeed({ changes: [putRecord(Operation, operation)], reply: null })
})

describe("a transfer that is accepted", () => {
  it.effect("is refused to a provider of another environment, and what it cannot move", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const fromCrypto = { amount: of(1n, "USDC_BASE"), toCurrency: "EUR" }
        assert.strictEqual(yield* tried(tenant, fromCrypto), "unsupported_asset")
        const fromNothing = { kind: "OFF_RAMP", amount: of(1n, "XXX"), toCurrency: "EUR" } as const
        assert.strictEqual(yield* tried(tenant, fromNothing), "unsupported_asset")
        const nowhere = { toCurrency: "XXX" }
        assert.strictEqual(yield* tried(tenant, nowhere), "unsupported_asset")
        assert.strictEqual(yield* tried(tenant, { ...onRamp, quoteId: crypto.randomUUID() }), "not_found")
        yield* submit(tenant, rewriteKind("SANDBOX"))
        assert.strictEqual(yield* tried(tenant), "product_not_enabled")
      })
    )
  )

  it.effect("waits for an operator where it is worth a review, and is in no queue then", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer({ payoutReviewUsd: "100" })
        const usd = yield* dollar
        const large = yield* accept(tenant, { usd })
        const small = yield* accept(tenant, { usd, amount: of(9_999n, "EUR") })
        assert.deepStrictEqual([large.status, small.status], ["IN_REVIEW", "ACCEPTED"])
        assert.deepStrictEqual([yield* isDue(large), yield* isDue(small)], [false, true])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is limited where it pays out, and not where money comes in", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer({ payoutLimitUsd: "50" })
        const usd = yield* dollar
        assert.strictEqual(yield* tried(tenant, { usd }), "payout_limit_exceeded")
        const coming = yield* accept(tenant, { ...onRamp, usd: null })
        assert.strictEqual(coming.status, "AWAITING_FUNDS")
        assert.isUndefined(coming.details.usd_cents)
        assert.isTrue(yield* isDue(coming))
      })
    )
  )

  it.effect("counts in the limits until it fails, and a receiver is new until a day after it was paid", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer({ payoutNewAddressLimitUsd: "150" })
        const to = (iban: string) => Effect.map(dollar, (usd) => ({ usd, payee: { ...payee, iban } }))
        const [one, other] = ["PT50000201231234567890154", "PT50000201239876543210156"]
        const first = yield* send(tenant, yield* to(one))
        assert.strictEqual(yield* tried(tenant, yield* to(other)), "new_address_limit_exceeded")
        yield* hear(tenant, first, says("FAILED"))
        const second = yield* send(tenant, yield* to(one))
        yield* hear(tenant, second, says("SETTLED"))
        yield* TestClock.adjust("25 hours")
        for (let more = 0; more < 3; more++) assert.strictEqual(yield* tried(tenant, yield* to(one)), "ACCEPTED")
        // that it is paid again does not make it new
        const third = yield* send(tenant, yield* to(one))
        yield* hear(tenant, third, says("SETTLED"))
        for (let more = 0; more < 2; more++) assert.strictEqual(yield* tried(tenant, yield* to(one)), "ACCEPTED")
        assert.strictEqual(yield* tried(tenant, yield* to(other)), "ACCEPTED")
        assert.strictEqual(yield* tried(tenant, yield* to(other)), "new_address_limit_exceeded")
      })
    )
  )

  it.effect("brings more than its fee takes, or is refused", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const minimumFee = { units: 1n, decimals: 0 }
        const percent = { units: 0n, decimals: 0 }
        const rule = { product: "ON_RAMP", currency: null, rail: null, percent, minimumFee, priority: 0 } as const
        const { id } = yield* submit(tenant, addFeeRule({ ...rule, effectiveFrom: null }))
        assert.strictEqual(yield* tried(tenant, { ...onRamp, amount: of(100n, "EUR") }), "below_minimum")
        const made = yield* accept(tenant, { ...onRamp, amount: of(101n, "EUR") })
        assert.strictEqual(made.details.fee_rule, id)
        assert.deepStrictEqual(made.toAmountQuoted, of(101n, "EUR"))
        assert.notProperty(made.details, "refund_of")
      })
    )
  )

  it.effect("promises nothing in another currency without a quote", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const order = { kind: "OFF_RAMP", amount: of(1_000_000n, "USDC_BASE"), toCurrency: "EUR" } as const
        assert.isNull((yield* accept(tenant, order)).toAmountQuoted)
      })
    )
  )
})

describe("an order that is about to go out", () => {
  const begin = (tenant: TenantId, operation: Operation, more: Partial<{ readonly known: boolean }> = {}) =>
    submit(tenant, beginTransfer(operation, more.known === false ? undefined : provider, payerAsStored(operation)))

  it.effect("waits where its provider is not configured, and goes out once", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* accept(tenant)
        const waits = yield* begin(tenant, operation, { known: false })
        assert.strictEqual(waits._tag === "Wait" && waits.objection.reason, "provider_not_configured")
        assert.strictEqual((yield* begin(tenant, operation))._tag, "Send")
        assert.strictEqual((yield* begin(tenant, operation))._tag, "Ask")
        assert.strictEqual((yield* begin(tenant, { ...operation, id: crypto.randomUUID() }))._tag, "Nothing")
        assert.isTrue(yield* isDue(operation))
        yield* hear(tenant, operation, says("FAILED"))
        assert.strictEqual((yield* begin(tenant, operation))._tag, "Ask", "in case it says something else")
        yield* TestClock.adjust("100 days")
        assert.strictEqual((yield* begin(tenant, operation))._tag, "Nothing")
        assert.isFalse(yield* isDue(operation))
      })
    )
  )

  it.effect.each(["ON_RAMP", "BANK_TRANSFER"] as const)(
    "waits while the customer in whose name it is was rejected, and goes out once they are approved again: %s",
    (kind) =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const { id: customerId } = yield* newCustomer(tenant)
          const request = kind === "ON_RAMP" ? { kind, payee: null } : { kind }
          const operation = yield* accept(tenant, { ...request, customerId, actsFor: "CUSTOMER" })
          const decided = (check: ReturnType<typeof approved>) =>
            submit(tenant, recordCheck(customerId, applicantOf(customerId), check))
          yield* decided(approved(20, { status: "REJECTED", capabilities: [] }))
          const task = yield* begin(tenant, operation)
          assert.strictEqual(task._tag === "Wait" && task.objection.reason, "customer_not_permitted")
          assert.isTrue(yield* isDue(operation))
          yield* decided(approved(30))
          assert.strictEqual((yield* begin(tenant, operation))._tag, "Send")
        })
      )
  )

  it.effect("is not sent where somebody has written another payer or another receiver of a refund", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const request = { kind: "REFUND", payee: null, refund: { refundOf: source.id, name: "Somebody" } } as const
        const refund = yield* accept(tenant, { ...request, amount: of(4_000n, "EUR") })
        const reasonOf = Effect.fnUntraced(function* (written: Operation) {
          yield* submit(tenant, rewrite(written))
          const task = yield* begin(tenant, refund)
          return task._tag === "Wait" ? task.objection.reason : task._tag
        })
        const iban = "PT50000201231234567890155"
        const stolen = { ...refund.details.payee, iban }
        for (const written of [
          { ...refund, details: withDetails(refund, { payee: stolen }) },
          { ...refund, details: withDetails(refund, { payee: null }) }
        ])
          assert.strictEqual(yield* reasonOf(written), "not_granted")
        yield* submit(tenant, rewrite(refund))
        for (const written of [
          { ...source, details: withDetails(source, { sender: { ...source.details.sender, iban } }) },
          { ...source, details: {} }
        ])
          assert.strictEqual(yield* reasonOf(written), "not_granted")
        assert.strictEqual(yield* reasonOf(source), "Send")
      })
    )
  )

  it.effect("is kept as it can be stored, as are the reasons of the provider", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const arrived = says("SETTLED", { sender: { ...sender, name: "Rui\u0000" } })
        const source = yield* hear(tenant, yield* send(tenant, onRamp), arrived)
        assert.strictEqual(source.details.sender?.name, "Rui\uFFFD")
        const odd = says("SETTLED", { sender: { ...sender, bic: "DEUT\u0000DEFF" } })
        const withoutBic = yield* hear(tenant, yield* send(tenant, onRamp), odd)
        assert.strictEqual(withoutBic.status, "SETTLED")
        assert.deepInclude(withoutBic.details.sender, { iban: sender.iban, bic: null })
        const failed = yield* hear(tenant, yield* send(tenant), says("FAILED", { reason: "closed\u0000" }))
        assert.strictEqual(failed.details.failure_detail, "closed\uFFFD")
        const refusal = yield* hear(tenant, yield* send(tenant), refused("no \ud83d"))
        assert.strictEqual(refusal.details.failure_detail, "no \uFFFD")
      })
    )
  )

  it.effect("of a refund is to whom the request named where the provider did not say who it was", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        const source = yield* hear(tenant, operation, says("SETTLED", { sender: { ...sender, name: null } }))
        const { id: customer } = yield* newCustomer(tenant)
        const refund = (refundOf: string, customerId: string | null) =>
          keyed(
            tenant,
            createTransfer(
              baseRequest({ kind: "REFUND", payee: null, refund: { refundOf, name: "Somebody" }, customerId })
            )
          )
        assert.strictEqual(yield* refund(source.id, customer), "beneficiary_invalid")
        const made = yield* refund(source.id, null)
        assert.strictEqual(typeof made === "string" ? made : made.details.payee?.name, "Somebody")
        const theirs = yield* send(tenant, { ...onRamp, customerId: customer })
        yield* hear(tenant, theirs, says("SETTLED", { sender }))
        const back = yield* refund(theirs.id, customer)
        assert.strictEqual(typeof back === "string" ? back : back.details.payee?.name, sender.name)
      })
    )
  )
})

describe("what a provider answers", () => {
  it.effect("is about no operation where there is none", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = { ...(yield* send(tenant)), id: crypto.randomUUID() }
        const answer = says("SETTLED")
        assert.isUndefined(yield* submit(tenant, recordTransfer({ operation, answer, currencies })))
      })
    )
  )

  it.effect("flags a transfer once for as long as nothing is known, and what is known again clears it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        const first = yield* hear(tenant, operation, unknown("503"))
        assert.deepInclude(first, { status: "ACCEPTED", unresolved: true, providerReference: null })
        assert.strictEqual(first.details.unresolved_because, "503")
        assert.deepStrictEqual(yield* hear(tenant, operation, unknown("another")), first)
        const vague = yield* hear(tenant, operation, says("UNRESOLVED", { providerReference: "t-2" }))
        assert.deepStrictEqual(vague, { ...first, providerReference: "t-2", details: vague.details })
        assert.strictEqual(vague.details.unresolved_because, "503")
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.unresolved"])
        const sent = yield* hear(tenant, operation, says("SENT", { providerReference: "t-2" }))
        assert.deepInclude(sent, { status: "SENT", unresolved: false, providerReference: "t-2" })
        const back = yield* hear(tenant, operation, says("PROCESSING", { providerReference: "t-2" }))
        assert.deepInclude(back, { status: "SENT", unresolved: false })
        const again = yield* hear(tenant, operation, says("UNRESOLVED", { providerReference: "t-2", reason: "lost" }))
        assert.deepInclude(again, { status: "SENT", unresolved: true })
        assert.strictEqual(again.details.unresolved_because, "lost")
        const known = yield* hear(tenant, operation, says("SENT", { providerReference: "t-2" }))
        assert.isFalse(known.unresolved)
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.unresolved", "payout.unresolved"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that cannot be booked is disputed until an outcome is told that can", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        const disputed = yield* hear(tenant, operation, says("SETTLED", { received: null }))
        assert.deepInclude(disputed, {
          status: "ACCEPTED",
          unresolved: true,
          providerReference: referenceOf(operation)
        })
        assert.isTrue(disputed.details.disputed)
        assert.deepStrictEqual(yield* hear(tenant, operation, says("SETTLED", { received: null })), disputed)
        for (const answer of [says("SENT"), says("FAILED"), unknown("503")]) {
          const after = yield* hear(tenant, operation, answer)
          assert.isTrue(after.unresolved && after.details.disputed, "that takes nothing back")
        }
        const short = yield* hear(tenant, operation, says("SETTLED", { received: of(9_999n, "EUR") }))
        assert.notStrictEqual(short.details.unresolved_because, disputed.details.unresolved_because)
        const settled = yield* hear(tenant, operation, says("SETTLED"))
        assert.deepInclude(settled, { status: "SETTLED", unresolved: false })
        assert.isFalse(settled.details.disputed)
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.unresolved", "payout.settled"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that it failed, or never was, says why; but it is not denied once it was told of", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const [failed, denied, known] = [yield* send(tenant), yield* send(tenant), yield* send(tenant)]
        const one = yield* hear(tenant, failed, says("FAILED", { providerReference: "t-9", reason: "closed" }))
        assert.deepInclude(one, { status: "FAILED", providerReference: "t-9" })
        assert.deepInclude(one.details, { failure_reason: "provider_rejected", failure_detail: "closed" })
        const two = yield* hear(tenant, denied, refused("no such account"))
        assert.deepInclude(two, { status: "FAILED", providerReference: null })
        assert.deepInclude(two.details, { failure_reason: "provider_rejected", failure_detail: "no such account" })
        yield* hear(tenant, known, says("SENT"))
        const three = yield* hear(tenant, known, refused("no such order"))
        assert.deepInclude(three, { status: "SENT", unresolved: true, providerReference: referenceOf(known) })
        assert.include(three.details.unresolved_because, "no such order")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("after it has settled moves nothing but by a return, and another currency is another amount", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        const settled = yield* hear(tenant, operation, says("SETTLED"))
        const told = { providerReference: "t-9", sender }
        for (const answer of [
          says("SENT"),
          says("SETTLED", told),
          says("SETTLED", { received: null }),
          unknown("503")
        ]) {
          const after = yield* hear(tenant, operation, answer)
          assert.deepInclude(after, { status: "SETTLED", unresolved: false, providerReference: referenceOf(operation) })
          assert.notProperty(after.details, "sender", "nobody has paid in")
        }
        const dollars = yield* hear(tenant, operation, says("SETTLED", { received: of(10_000n, "USD") }))
        assert.isTrue(dollars.unresolved && dollars.details.disputed)
        const back = yield* hear(tenant, operation, says("SETTLED"))
        assert.deepStrictEqual([back.unresolved, back.details.disputed], [false, false])
        for (const answer of [says("FAILED", { reason: "it came back" }), refused("no such order")]) {
          const after = yield* hear(tenant, operation, answer)
          assert.isTrue(after.unresolved)
          assert.include(after.details.unresolved_because, answer._tag === "Done" ? "it came back" : "no such order")
          yield* hear(tenant, operation, says("SETTLED"))
        }
        assert.deepStrictEqual((yield* stored(tenant, operation)).toAmount, settled.toAmount)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("after a part of it came back says nothing new by what was settled, and flags what contradicts it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SETTLED"))
        const part = yield* hear(tenant, operation, says("RETURNED", { returned: of(4_000n, "EUR") }))
        assert.deepInclude(part, { status: "RETURNED", unresolved: false })
        assert.notProperty(part.details, "failed_at", "more may come back")
        for (const answer of [says("SETTLED", { received: of(6_000n, "EUR") }), unknown("503"), says("SENT")]) {
          const after = yield* hear(tenant, operation, answer)
          assert.deepStrictEqual([after.unresolved, after.details.returned], [false, "4000"])
        }
        const denied = yield* hear(tenant, operation, refused("no such order"))
        assert.isTrue(denied.unresolved)
        const whole = yield* hear(tenant, operation, says("RETURNED", { returned: of(10_000n, "EUR") }))
        assert.strictEqual(whole.details.failed_at, yield* Clock.currentTimeMillis)
        assert.isFalse(whole.unresolved)
        assert.deepStrictEqual(yield* float(tenant), [99_900n, 0n], "the fee stays")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect(
    "of who paid in is kept when it is told late, and of what went back at once says the currency only where that is another",
    () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, onRamp)
          const settled = yield* hear(tenant, operation, says("SETTLED"))
          assert.notProperty(settled.details, "sender")
          const late = yield* hear(tenant, operation, says("SETTLED", { sender }))
          assert.strictEqual(late.details.sender?.iban, sender.iban)
          const changed = { ...sender, iban: "PT50000201231234567890155" }
          assert.deepStrictEqual(yield* hear(tenant, operation, says("SETTLED", { sender: changed })), late)
          const [same, dollars] = [yield* send(tenant, onRamp), yield* send(tenant, onRamp)]
          const gone = yield* hear(tenant, same, says("RETURNED"))
          assert.notProperty(gone.details, "arrived_currency")
          const came = { received: of(500n, "USD"), returned: of(500n, "USD") }
          const strayed = yield* hear(tenant, dollars, says("RETURNED", came))
          assert.deepInclude(strayed.details, { arrived: "500", arrived_currency: "USD" })
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
  )

  it.effect("of a refund that came back in parts gives each part back to what it had paid", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const request = { kind: "REFUND", payee: null, refund: { refundOf: source.id, name: "" } } as const
        const refund = yield* send(tenant, { ...request, amount: of(9_000n, "EUR") })
        yield* hear(tenant, refund, says("SETTLED", { received: of(9_000n, "EUR") }))
        for (const [back, left] of [
          [1_000n, "8000"],
          [4_000n, "5000"],
          [9_000n, "0"]
        ] as const) {
          yield* hear(tenant, refund, says("RETURNED", { returned: of(back, "EUR") }))
          assert.strictEqual((yield* stored(tenant, source)).details.refunded, left)
        }
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
