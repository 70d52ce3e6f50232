import { beginCustody, askedOf, sentAtOf } from "@bursar/core/custody/beginCustody"
import { claimOrder, claimReads } from "@bursar/core/custody/claimOrder"
import { contradiction } from "@bursar/core/custody/contradiction"
import { askAgainAt, custodianQueue } from "@bursar/core/custody/CustodyStep"
import { ProviderOrder } from "@bursar/core/custody/ProviderOrder"
import { wasTaken } from "@bursar/core/custody/waitOn"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import type { Reached } from "@bursar/core/environment/reach"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Operation } from "@bursar/core/operation/Operation"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { waitsOf } from "@bursar/core/operation/waits"
import type { ConversionState, WithdrawalState } from "@bursar/core/port/Custodian"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const custodian = { name: "fake", environment: "LIVE" } as const

const accepted = Effect.gen(function* () {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const made = yield* withdraw(id, 5_000_000n)
  return typeof made === "string" ? assert.fail(made) : { id, operation: made }
})

const stored = Effect.fnUntraced(function* (id: TenantId, operation: Operation) {
  return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("it is gone")
})

/** Writes an operation as it could stand in storage. */
const write = (id: TenantId, operation: Operation) =>
  submit(id, {
    name: "Write",
    reads: [readRecord(Operation, operation.id)],
    decide: () => Result.succeed({ changes: [putRecord(Operation, operation)], reply: undefined })
  })

/** In how many milliseconds an operation is looked at; null where it is in no queue. */
const waits = Effect.fnUntraced(function* ({ id }: Operation) {
  const now = yield* Clock.currentTimeMillis
  const due = yield* (yield* JobQueue).due(custodianQueue, Number.MAX_SAFE_INTEGER, 99)
  const job = due.find(({ key }) => key === id)
  return job === undefined ? null : job.dueAt - now
})

const begin = (id: TenantId, operation: Operation, reached: Reached | null = custodian) =>
  Effect.map(submit(id, beginCustody(operation, reached ?? undefined)), ({ _tag }) => _tag)

describe("an order of a custodian", () => {
  it.effect("goes out once: who finds that it was to be sent asks what became of it", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* begin(id, operation), "Send")
      const sent = yield* stored(id, operation)
      assert.strictEqual(sent.status, "PROCESSING")
      assert.deepStrictEqual([sentAtOf(sent), askedOf(sent)], [yield* Clock.currentTimeMillis, 0])
      // as the books say it, whatever was read before
      for (const read of [operation, sent]) assert.strictEqual(yield* begin(id, read), "Ask")
      assert.strictEqual(yield* waits(operation), 8_000)
    }).pipe(Effect.provide(store))
  )

  it.effect("was sent when it was accepted, and was never asked about, where nothing else is known", () =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      assert.deepStrictEqual([sentAtOf(operation), askedOf(operation)], [operation.createdAt, 0])
    }).pipe(Effect.provide(store))
  )

  it.effect("is nobody's of another tenant, and leaves the queue", () =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      assert.strictEqual(yield* begin(yield* withdrawer(), operation), "Nothing")
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [string, Reached | null, string]>([
    ["is not configured", null, "provider_not_configured"],
    ["is of another environment", { name: "fake", environment: "SANDBOX" }, "other_environment"]
  ])("waits where its custodian %s, and is sent when that is over", ([, reached, reason]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      assert.strictEqual(yield* begin(id, operation, reached), "Wait")
      const held = yield* stored(id, operation)
      assert.deepStrictEqual([held.status, waitsOf(held)?.reason], ["ACCEPTED", reason])
      assert.isNotNull(yield* waits(operation))
      assert.strictEqual(yield* begin(id, held), "Send")
    }).pipe(Effect.provide(store))
  )

  it.effect("waits while an operator is to look at it: it was not sent, so nobody is asked about it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ withdrawalReviewUsd: "1" })
      yield* verified(id, "0x00000000000000000000000000000000000000A1")
      const made = yield* withdraw(id, 5_000_000n)
      if (typeof made === "string") return assert.fail(made)
      const task = yield* submit(id, beginCustody(made, custodian))
      assert.strictEqual(task._tag === "Wait" ? task.objection.reason : task._tag, "in_review")
    }).pipe(Effect.provide(store))
  )

  it.effect("is of a withdrawal or a swap: a row of another kind is not sent", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      for (const kind of ["BANK_TRANSFER", "CHAIN_PAYOUT", "ADJUSTMENT"] as const) {
        yield* write(id, { ...operation, kind })
        const task = yield* submit(id, beginCustody(operation, custodian))
        assert.strictEqual(task._tag === "Wait" ? task.objection.reason : task._tag, "not_granted", kind)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("that has ended is not sent, and is asked about only while it is watched", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      const now = yield* Clock.currentTimeMillis
      yield* write(id, { ...operation, status: "FAILED" })
      assert.strictEqual(yield* begin(id, operation), "Nothing")
      assert.isNull(yield* waits(operation))
      yield* write(id, { ...operation, status: "FAILED", details: { ...operation.details, failed_at: now } })
      assert.strictEqual(yield* begin(id, operation), "Ask")
      yield* TestClock.adjust(resolutionWatchMs)
      assert.strictEqual(yield* begin(id, operation), "Nothing")
    }).pipe(Effect.provide(store))
  )
})

it("a custodian is asked again after a second, then ever more seldom, and at least once a minute", () => {
  const seconds = [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((asked) => (askAgainAt(5, asked) - 5) / 1_000)
  assert.deepStrictEqual(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60])
})

describe("what is known of an order", () => {
  const hear = (id: TenantId, operation: Operation, answer: ProviderResult<WithdrawalState>) =>
    Effect.andThen(
      submit(id, recordWithdrawal({ operation, answer, networkFeeBorneBy: "RECEIVER", currencies: defaultCurrencies })),
      stored(id, operation)
    )
  const onItsWay = done<WithdrawalState>({ _tag: "Pending", providerReference: "w-1", txHash: null })

  it.effect("is asked again, each time later, whether it is on its way or nothing is known", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      yield* begin(id, operation)
      for (const [answer, asked, waited] of [
        [unknown("503"), 1, 2_000],
        [unknown("502"), 2, 4_000],
        [onItsWay, 3, 8_000],
        [unknown("503"), 4, 16_000],
        [onItsWay, 5, 32_000]
      ] as const) {
        const after = yield* hear(id, operation, answer)
        assert.deepStrictEqual([askedOf(after), yield* waits(operation)], [asked, waited])
        assert.strictEqual(after.unresolved, answer._tag === "Unknown")
      }
      assert.strictEqual((yield* stored(id, operation)).status, "SENT")
    }).pipe(Effect.provide(store))
  )

  it.effect("is that the custodian has it, once it has shown so", () =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      assert.isFalse(wasTaken(operation))
      assert.isFalse(wasTaken({ ...operation, status: "PROCESSING" }))
      assert.isTrue(wasTaken({ ...operation, status: "SENT" }))
      assert.isTrue(wasTaken({ ...operation, providerReference: "w-1" }))
    }).pipe(Effect.provide(store))
  )

  it.effect("is its custodian's own reference, which is no other operation's", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      const made = yield* withdraw(id, 6_000_000n)
      if (typeof made === "string") return assert.fail(made)
      for (const one of [operation, made]) yield* begin(id, one)
      yield* hear(id, operation, onItsWay)
      const order = yield* (yield* Queries).record(id, ProviderOrder, "fake|w-1")
      assert.deepStrictEqual(order, { provider: "fake", providerReference: "w-1", operationId: operation.id })
      // found twice by what it looks like: it says nothing of the other one
      const paid = done<WithdrawalState>({ _tag: "Settled", providerReference: "w-1", txHash: null, networkFee: null })
      const other = yield* hear(id, made, paid)
      assert.deepStrictEqual([other.status, other.unresolved, other.providerReference], ["PROCESSING", true, null])
      assert.include(other.details.unresolved_because, operation.id)
      assert.strictEqual((yield* hear(id, operation, paid)).status, "SETTLED")
    }).pipe(Effect.provide(store))
  )

  it.effect("is its own order under the same reference at another provider", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      const claim = (one: Operation, reference: string | null) => {
        const answer = done({ providerReference: reference })
        return submit(id, {
          name: "Claim",
          reads: claimReads(one, answer),
          decide: (view) => {
            const claimed = claimOrder(view, one, answer)
            return Result.succeed({ changes: claimed.changes, reply: claimed })
          }
        })
      }
      for (const [one, reference, puts, tag] of [
        [operation, null, 0, "Done"],
        [operation, "x", 1, "Done"],
        [operation, "x", 0, "Done"],
        [{ ...operation, id: "another" }, "x", 0, "Unknown"],
        [{ ...operation, id: "another", provider: "other" }, "x", 1, "Done"],
        [{ ...operation, id: "third", provider: null }, "x", 1, "Done"]
      ] as const) {
        const { answer, changes } = yield* claim(one, reference)
        assert.deepStrictEqual([changes.length, answer._tag], [puts, tag])
      }
      assert.deepStrictEqual(claimReads(operation, unknown("503")), [])
      assert.deepStrictEqual(claimReads(operation, refused("no")), [])
    }).pipe(Effect.provide(store))
  )
})

describe("what a custodian says against the books of an order that is over", () => {
  const on = done<WithdrawalState>({ _tag: "Pending", providerReference: "w", txHash: null })
  const failed = done<WithdrawalState>({ _tag: "Failed", providerReference: "w", reason: "no funds" })
  const paid = done<WithdrawalState>({ _tag: "Settled", providerReference: "w", txHash: null, networkFee: null })
  const converted = (units: bigint, currency = "EUR") =>
    done<ConversionState>({ _tag: "Settled", providerReference: "w", received: of(units, currency) })
  const resolution = { at: 1, received_units: "7", received_currency: "EUR" }

  it.effect.each<readonly [string, "SETTLED" | "FAILED", boolean, Parameters<typeof contradiction>[1], boolean]>([
    ["nothing", "SETTLED", false, unknown("503"), false],
    ["nothing", "FAILED", false, unknown("503"), false],
    ["that there is no such order", "SETTLED", false, refused("what?"), true],
    ["that there is no such order", "FAILED", false, refused("what?"), false],
    ["that it is on its way", "SETTLED", false, on, false],
    ["that it is on its way", "FAILED", false, on, true],
    ["that it failed", "SETTLED", false, failed, true],
    ["that it failed", "FAILED", false, failed, false],
    ["that it is settled", "SETTLED", false, paid, false],
    ["that it is settled", "FAILED", false, paid, true],
    ["that what operators wrote down was received", "SETTLED", true, converted(7n), false],
    ["that more was received", "SETTLED", true, converted(8n), true],
    ["that another currency was received", "SETTLED", true, converted(7n, "USD"), true],
    ["what was received, of which operators said nothing", "SETTLED", false, converted(8n), false],
    ["that it is settled, without what was received", "SETTLED", true, paid, false],
    ["that it is on its way, though operators know what was received", "SETTLED", true, on, false],
    ["that something was received", "FAILED", true, converted(7n), true]
  ])("%s of one that is %s (resolved by operators: %s)", ([, status, resolved, answer, contradicts]) =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      const details = resolved ? ({ ...operation.details, resolution } as never) : operation.details // of its kind
      assert.strictEqual(contradiction({ ...operation, status, details }, answer) !== undefined, contradicts)
    }).pipe(Effect.provide(store))
  )

  it.effect("is told with the custodian's own reason, as it can be stored", () =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      const settled = { ...operation, status: "SETTLED" } as const
      assert.include(contradiction(settled, refused("never heard of it"))?.said, "never heard of it")
      assert.include(contradiction(settled, failed)?.said, "no funds")
      const odd = { _tag: "Failed", providerReference: "w", reason: "no\u0000funds" } as const
      assert.include(contradiction(settled, done(odd))?.said, "no\uFFFDfunds")
    }).pipe(Effect.provide(store))
  )
})
