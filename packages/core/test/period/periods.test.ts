import { type ClosedPeriod, lastClosed, statementVersion } from "@bursar/core/period/ClosedPeriod"
import { closePeriod, objectionToClosing } from "@bursar/core/period/closePeriod"
import { nextPeriod, periodEnd, periodOf, periodStart } from "@bursar/core/period/Period"
import { periodRange } from "@bursar/core/period/periodRange"
import { Journal } from "@bursar/core/store/Journal"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { store, submit } from "../transfer/world.ts"

const at = (text: string) => Date.parse(`${text}T00:00:00Z`)

const closed = (period: string, after = 0, through = 0): ClosedPeriod => ({
  period,
  after,
  through,
  statementVersion,
  csvSha256: "c".repeat(64),
  pdfSha256: "d".repeat(64),
  closedAt: 0,
  closedBy: "olga"
})

describe("a month", () => {
  it("begins where the one before ends, and has every moment of it and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at("9999-11-30") }), (moment) => {
        const period = periodOf(moment)
        assert.isTrue(periodStart(period) <= moment && moment < periodEnd(period))
        assert.strictEqual(periodEnd(period), periodStart(nextPeriod(period)))
        assert.strictEqual(periodOf(periodStart(period)), period)
        assert.strictEqual(periodOf(periodEnd(period) - 1), period)
      })
    )
  })

  it.each([
    ["2026-01", "2026-02", "2026-01-01", "2026-02-01"],
    ["2026-09", "2026-10", "2026-09-01", "2026-10-01"],
    ["2026-12", "2027-01", "2026-12-01", "2027-01-01"],
    ["2028-02", "2028-03", "2028-02-01", "2028-03-01"]
  ])("%s is followed by %s", (period, next, start, end) => {
    assert.strictEqual(nextPeriod(period), next)
    assert.deepStrictEqual([periodStart(period), periodEnd(period)], [at(start), at(end)])
  })

  it.each(["", "2026", "2026-1", "2026-00", "2026-13", "2026-20", "26-10", "x2026-10", "2026-10x", "2026-10-01"])(
    "is not %j",
    (text) => {
      assert.throws(() => periodStart(text), /is not a month/u)
      assert.throws(() => periodEnd(text), /is not a month/u)
    }
  )
})

describe("the last closed month", () => {
  it("is the latest, in whatever order they come", () => {
    const months = ["2025-12", "2026-01", "2026-02", "2026-10"].map((period) => closed(period))
    fc.assert(
      fc.property(fc.shuffledSubarray(months, { minLength: 1 }), (some) => {
        assert.strictEqual(
          lastClosed(some)?.period,
          some
            .map(({ period }) => period)
            .toSorted()
            .at(-1)
        )
      })
    )
    assert.isUndefined(lastClosed([]))
  })
})

describe("closing a month", () => {
  const known = { now: at("2026-11-05"), closed: [], firstBooked: null, tenantSince: at("2026-01-15") }

  it.each([
    ["a month that is over", "2026-10", known, undefined],
    ["in the moment in which it ends", "2026-10", { ...known, now: at("2026-11-01") }, undefined],
    ["a moment before", "2026-10", { ...known, now: at("2026-11-01") - 1 }, "is not over before 2026-11-01"],
    ["the month that is on", "2026-11", known, "is not over before 2026-12-01"],
    ["the month in which the tenant was made", "2026-01", known, undefined],
    ["the month before", "2025-12", known, "did not exist"],
    [
      "the month that ended as the tenant was made",
      "2026-01",
      { ...known, tenantSince: at("2026-02-01") },
      "did not exist"
    ],
    ["a month after the first that has postings", "2026-03", { ...known, firstBooked: "2026-02" }, "first is 2026-02"],
    ["the first month that has postings", "2026-02", { ...known, firstBooked: "2026-02" }, undefined],
    ["a month before it", "2026-01", { ...known, firstBooked: "2026-02" }, undefined],
    ["the next", "2026-03", { ...known, closed: [closed("2026-02"), closed("2026-01")] }, undefined],
    ["one that leaves one out", "2026-04", { ...known, closed: [closed("2026-02")] }, "next is 2026-03"],
    ["one again", "2026-02", { ...known, closed: [closed("2026-02")] }, "next is 2026-03"],
    [
      "the next, though something is booked that is in none",
      "2026-03",
      { ...known, closed: [closed("2026-02")], firstBooked: "2026-01" },
      undefined
    ]
  ] as const)("%s: %s", (_, period, given, objection) => {
    const refusal = objectionToClosing(period, given)
    if (objection === undefined) assert.isUndefined(refusal)
    else {
      assert.strictEqual(refusal?.code, "state_conflict")
      assert.include(refusal?.message, objection)
    }
  })

  const { closedAt: _, ...october } = closed("2026-10", 0, 7)
  const toClose = { ...october, firstBooked: null }
  const { closedAt: __, ...november } = closed("2026-11", 7, 9)

  it.effect("fixes it once: whatever is made of it later, what was fixed is the answer", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: at("2026-10-10") })
      yield* TestClock.setTime(at("2026-12-03"))
      const first = yield* submit(id, closePeriod(toClose))
      assert.deepStrictEqual(first, { ...october, closedAt: at("2026-12-03") })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* submit(id, closePeriod({ ...toClose, through: 8, closedBy: "otto" })), first)
    }).pipe(Effect.provide(store))
  )

  it.effect("goes on from the posting where the one before ended, and not from another", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: at("2026-10-10") })
      yield* TestClock.setTime(at("2026-12-03"))
      const refusal = (...[wanted]: Parameters<typeof closePeriod>) =>
        Effect.map(Effect.flip(submit(id, closePeriod(wanted))), (error) => error._tag === "Refusal" && error.code)
      // another process has closed a month since this statement was made
      assert.strictEqual(yield* refusal({ ...toClose, after: 3 }), "stale")
      yield* submit(id, closePeriod(toClose))
      for (const after of [0, 6, 8])
        assert.strictEqual(yield* refusal({ ...november, after, firstBooked: null }), "stale")
      assert.strictEqual(yield* refusal({ ...november, period: "2026-12", firstBooked: null }), "state_conflict")
      assert.strictEqual((yield* submit(id, closePeriod({ ...november, firstBooked: null }))).through, 9)
    }).pipe(Effect.provide(store))
  )
})

describe("the postings of a month", () => {
  const first = "2026-01"
  const months = Array.from({ length: 5 }).reduce<ReadonlyArray<string>>(
    (all) => [...all, nextPeriod(all.at(-1) ?? first)],
    [first]
  )
  const tenant = TenantId("00000000-0000-4000-8000-000000000000")

  /** A journal whose postings were booked at some moments, in their order. */
  const journalOf = (booked: ReadonlyArray<number>): Journal["Service"] => ({
    lastPosting: () => Effect.succeed(booked.length),
    lastBefore: (_, moment, after) => Effect.succeed(Math.max(after, booked.findLastIndex((one) => one < moment) + 1)),
    firstAfter: (_, after) => Effect.succeed(booked[after]),
    balancesAt: () => Effect.succeed([]),
    entries: () => Stream.empty
  })

  const moments = fc
    .array(fc.integer({ min: periodStart(first), max: periodEnd(months.at(-1) ?? first) - 1 }), { maxLength: 12 })
    .map((some) => some.toSorted((one, other) => one - other))

  it("are those that were booked in it, while none is closed", () => {
    fc.assert(
      fc.property(moments, (booked) => {
        for (const period of months) {
          const { after, through } = Effect.runSync(
            Effect.provideService(periodRange(tenant, period, []), Journal, journalOf(booked))
          )
          assert.deepStrictEqual(
            booked.slice(after, through),
            booked.filter((one) => periodOf(one) === period)
          )
        }
      })
    )
  })

  it("of a month before the first that is closed do not begin where a later one ended", () => {
    const later = closed(months[3] ?? "", 0, 2)
    const booked = [periodStart(months[3] ?? ""), periodStart(months[3] ?? "")]
    const range = Effect.runSync(
      Effect.provideService(periodRange(tenant, months[1] ?? "", [later]), Journal, journalOf(booked))
    )
    assert.deepStrictEqual(range, { after: 0, through: 0 })
  })

  it("are in one month each, whichever months are closed and whatever is booked late", () => {
    fc.assert(
      fc.property(moments, fc.array(fc.nat({ max: 12 }), { maxLength: 3 }), fc.context(), (booked, ends, log) => {
        // months that were closed in turn, each before some posting of it, or of a later month, had been written
        let done = 0
        const closedOnes: Array<ClosedPeriod> = []
        for (const [index, end] of ends.entries()) {
          const through = Math.max(done, Math.min(end, booked.length))
          closedOnes.push(closed(months[index] ?? "", done, through))
          done = through
        }
        log.log(JSON.stringify(closedOnes))
        const read = (period: string) =>
          Effect.runSync(Effect.provideService(periodRange(tenant, period, closedOnes), Journal, journalOf(booked)))
        const ranges = months.map(read)
        for (const [index, there] of closedOnes.entries()) assert.deepStrictEqual(ranges[index], there)
        let reached = 0
        for (const { after, through } of ranges) {
          assert.strictEqual(after, reached)
          assert.isTrue(through >= after)
          reached = through
        }
        assert.strictEqual(reached, booked.length)
      })
    )
  })
})
