import { beginCustody } from "@bursar/core/custody/beginCustody"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { of } from "@bursar/core/money/Amount"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { resolved, stored } from "./world.ts"
import { settledWith } from "../transfer/world.ts"
import { store, submit, withdrawer, wrong } from "../withdrawal/world.ts"
import { bought, says, sent } from "../swap/world.ts"

const units = 10_000n
const isSettled = `it says that the order is settled with ${units} base units of ${bought}`
const custodian = { name: "fake", environment: "LIVE" } as const

const failed = (providerReference: string | null, reason = "the market is closed") =>
  done<ConversionState>({ _tag: "Failed", providerReference, reason })
const pending = (providerReference: string) => done<ConversionState>({ _tag: "Pending", providerReference })
const settled = (providerReference: string) =>
  done<ConversionState>({ _tag: "Settled", providerReference, received: of(units, bought) })

const hear = Effect.fnUntraced(function* (id: TenantId, operation: Operation, answer: ProviderResult<ConversionState>) {
  yield* says(id, operation, answer)
  return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("the swap is gone")
})

const waiting = Effect.flatMap(JobQueue, (jobQueue) =>
  Effect.map(jobQueue.due(custodianQueue, Number.MAX_SAFE_INTEGER, 9), (items) => items.length)
)

describe("a swap of which the custodian says that it failed", () => {
  it.effect("gives back what it took, whatever the custodian writes of it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const float = Effect.map(
        Effect.flatMap(Queries, (queries) => queries.float(id)),
        (balances) => balances.map(({ account, currency, units }) => ({ account, currency, units }))
      )
      const before = yield* float
      for (const [said, kept] of [
        ["rejected\u0000", "rejected\uFFFD"],
        ["rejected \ud83d", "rejected \uFFFD"]
      ] as const) {
        const operation = yield* sent(id, units, false)
        const after = yield* hear(id, operation, failed(`c-${said.length}`, said))
        assert.strictEqual(after.status, "FAILED")
        assert.strictEqual(after.details.failure_detail, kept)
      }
      assert.deepStrictEqual(yield* float, before)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is asked about for a while; that it settled after all is noted once and books nothing", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, true)
      const after = yield* hear(id, operation, failed("c-1"))
      assert.strictEqual(after.status, "FAILED")
      assert.strictEqual(yield* waiting, 1)
      assert.strictEqual((yield* submit(id, beginCustody(after, custodian)))._tag, "Ask")
      const queries = yield* Queries
      const booked = yield* queries.float(id)
      // the same told again is no news
      assert.isUndefined((yield* hear(id, operation, failed("c-1"))).details.contradiction)
      for (let times = 0; times < 2; times += 1) {
        const late = yield* hear(id, operation, settled("c-1"))
        assert.strictEqual(late.status, "FAILED")
        assert.deepInclude(late.details.contradiction, { said: isSettled })
      }
      assert.deepStrictEqual(yield* queries.float(id), booked)
      assert.deepStrictEqual(yield* wrong(id), [])
      yield* TestClock.adjust(resolutionWatchMs)
      assert.strictEqual((yield* submit(id, beginCustody(after, custodian)))._tag, "Nothing")
      assert.strictEqual(yield* waiting, 0)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not taken for another that settled, which a custodian may find by what it looks like", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const [one, other] = [yield* sent(id, units, false), yield* sent(id, units, false)]
      yield* hear(id, one, failed("c-1"))
      assert.strictEqual((yield* hear(id, other, settled("c-2"))).status, "SETTLED")
      assert.isUndefined((yield* hear(id, one, settled("c-2"))).details.contradiction)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps what was noted of an order that nobody else has, whatever is told under that id later", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* hear(id, operation, failed("c-1"))
      const noted = { said: `${isSettled}, under the id c-2`, reference: "c-2" }
      for (let times = 0; times < 2; times += 1)
        assert.deepInclude((yield* hear(id, operation, settled("c-2"))).details.contradiction, noted)
      assert.deepInclude((yield* hear(id, operation, failed("c-2"))).details.contradiction, noted)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is noted to have settled where it has, whatever was noted of another order before", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* hear(id, operation, failed("c-1"))
      yield* hear(id, operation, settled("c-2"))
      const own = { said: isSettled, reference: "c-1" }
      assert.deepInclude((yield* hear(id, operation, settled("c-1"))).details.contradiction, own)
      assert.deepInclude((yield* hear(id, operation, settled("c-2"))).details.contradiction, own)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  for (const [first, noted] of [
    ["c-1", `${isSettled}, under the id c-1`],
    // it may be the same order under the custodian's own name
    [null, undefined]
  ] as const)
    it.effect(
      `is noted where operators have stated another order, and its own has settled, too (known as ${first})`,
      () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          const operation = yield* sent(id, units, false)
          const open = yield* hear(id, operation, first === null ? unknown("no answer") : pending(first))
          const after = yield* resolved(id, open, { ...settledWith(units, bought), providerReference: "c-2" })
          assert.deepInclude(after, { status: "SETTLED", providerReference: "c-2" })
          assert.isUndefined((yield* hear(id, after, settled("c-2"))).details.contradiction)
          assert.strictEqual((yield* hear(id, after, settled("c-1"))).details.contradiction?.said, noted)
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
    )

  it.effect("is noted to have settled under each of its ids, though the other one was denied before", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      const open = yield* hear(id, operation, pending("c-1"))
      const after = yield* resolved(id, open, { ...settledWith(units, bought), providerReference: "c-2" })
      const denied = refused("no such order")
      assert.isDefined((yield* hear(id, after, denied)).details.contradiction)
      for (const [answer, noted] of [
        // that money has left twice comes first, and of that what is said of its own orders
        [settled("c-3"), `${isSettled}, under the id c-3`],
        [settled("c-1"), `${isSettled}, under the id c-1`],
        [denied, `${isSettled}, under the id c-1`],
        [failed("c-2"), `${isSettled}, under the id c-1`],
        [denied, `${isSettled}, under the id c-1`]
      ] as const)
        assert.strictEqual((yield* hear(id, after, answer)).details.contradiction?.said, noted)
      // nothing of it is forgotten
      assert.deepStrictEqual(
        contradictionsOf(yield* stored(id, after)).map(({ said }) => said),
        [
          `${isSettled}, under the id c-1`,
          `${isSettled}, under the id c-3`,
          "it says that the order failed: the market is closed",
          "it denies the order: no such order"
        ]
      )
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  for (const known of [null, "c-1"])
    it.effect(
      `is cleared of what was noted of an order that turns out to be another's, which hides nothing from then on (known as ${known})`,
      () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          const [one, other] = [yield* sent(id, units, false), yield* sent(id, units, false)]
          yield* hear(id, one, failed(known))
          // found by what it looks like, before the other's own answer has come
          assert.isDefined((yield* hear(id, one, settled("c-2"))).details.contradiction)
          assert.strictEqual((yield* hear(id, other, settled("c-2"))).status, "SETTLED")
          assert.isUndefined((yield* hear(id, one, settled("c-2"))).details.contradiction)
          assert.strictEqual(yield* waiting, 1)
          const late = yield* hear(id, one, settled("c-1"))
          assert.deepInclude(late.details.contradiction, {
            said: isSettled,
            reference: "c-1"
          })
          // what another's order is answered takes nothing of that back
          assert.isDefined((yield* hear(id, one, settled("c-2"))).details.contradiction)
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
    )
})
