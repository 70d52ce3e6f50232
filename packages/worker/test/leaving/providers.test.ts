import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { waitsOf } from "@bursar/core/operation/waits"
import { makeNetworks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { workCustody } from "../../src/custody/workCustody.ts"
import { workFiat } from "../../src/fiat/workFiat.ts"
import { ledgerHolds, processOver, ticks } from "../watch/world.ts"
import { accept, currency, kinds, tenantFor, troubles } from "./world.ts"

/** Providers that settle every order at once. */
const providers = (name = "fake") => ({
  custodian: makeFakeCustodian(
    () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
    [],
    undefined,
    name
  ),
  fiat: makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }), name)
})

type Providers = ReturnType<typeof providers>

const times = ({ custodian, fiat }: Providers, id: string) =>
  (custodian.ordered.get(id) ?? 0) + (fiat.ordered.get(id) ?? 0)

/** A worker with some providers. */
const working = (...all: ReadonlyArray<Providers>) =>
  Effect.all(
    [
      workCustody({
        currencies: defaultCurrencies,
        networks: makeNetworks([]),
        custodians: all.map(({ custodian }) => custodian.provider)
      }),
      workFiat({ currencies: defaultCurrencies, fiats: all.map(({ fiat }) => fiat.provider), identities: [] })
    ],
    { concurrency: "unbounded", discard: true }
  )

const run = <A, E>(story: Effect.Effect<A, E, Layer.Success<ReturnType<typeof processOver>> | Scope.Scope>) =>
  Effect.runPromise(
    story.pipe(Effect.provide(processOver(emptyState())), Effect.provide(TestClock.layer()), Effect.scoped)
  )

describe("what was accepted is not sent", () => {
  for (const trouble of troubles) {
    for (const kind of trouble.kinds) {
      it(`while ${trouble.what}: a ${kind} says why, keeps what it holds, and goes on once that is over`, () =>
        run(
          Effect.gen(function* () {
            const queries = yield* Queries
            const fake = providers()
            const world = yield* tenantFor(kind)
            const { id } = yield* accept(world, kind)
            const stored = queries.operation(world.id, id)
            yield* trouble.begin(world)
            const floatBefore = yield* queries.float(world.id)
            yield* Effect.forkScoped(working(fake))
            yield* ticks(130)
            assert.strictEqual(times(fake, id), 0)
            const waiting = (yield* stored) ?? assert.fail("it is gone")
            assert.deepStrictEqual([waiting.status, waiting.unresolved], ["ACCEPTED", false])
            assert.strictEqual(waitsOf(waiting)?.reason, trouble.reason)
            assert.deepStrictEqual(yield* queries.float(world.id), floatBefore)
            yield* trouble.end(world)
            yield* ticks(130)
            assert.strictEqual(times(fake, id), 1)
            const over = (yield* stored) ?? assert.fail("it is gone")
            assert.deepStrictEqual([over.status, waitsOf(over)], ["SETTLED", null])
            yield* ledgerHolds(world.id)
          })
        ))
    }
  }

  for (const kind of kinds) {
    it(`to another provider than it names: a ${kind} waits until its own is configured again`, () =>
      run(
        Effect.gen(function* () {
          const queries = yield* Queries
          const [old, other] = [providers(), providers("other")]
          const world = yield* tenantFor(kind)
          const { id } = yield* accept(world, kind)
          const stored = queries.operation(world.id, id)
          const first = yield* Effect.forkChild(working(other))
          yield* ticks(70)
          yield* Fiber.interrupt(first)
          const waiting = (yield* stored) ?? assert.fail("it is gone")
          assert.deepStrictEqual([waiting.status, waiting.unresolved], ["ACCEPTED", false])
          assert.strictEqual(waitsOf(waiting)?.reason, "provider_not_configured")
          yield* Effect.forkScoped(working(other, old))
          yield* ticks(130)
          assert.deepStrictEqual([times(other, id), times(old, id)], [0, 1])
          assert.strictEqual((yield* stored)?.status, "SETTLED")
          yield* ledgerHolds(world.id)
        })
      ))

    it(`nor asked of another provider: a ${kind} whose own is gone is not known until it is there again`, () =>
      run(
        Effect.gen(function* () {
          const queries = yield* Queries
          const silent = {
            custodian: makeFakeCustodian(() => ({ order: "taken-silent", unreadable: 0, pending: 0, end: "settled" })),
            fiat: makeFakeFiat(() => ({ order: "taken-silent", unreadable: 0, course: ["SETTLED"] }))
          }
          // whoever never had the order denies it
          const other = providers("other")
          const world = yield* tenantFor(kind)
          const { id } = yield* accept(world, kind)
          const stored = queries.operation(world.id, id)
          const first = yield* Effect.forkChild(working(silent))
          yield* ticks(1)
          yield* Fiber.interrupt(first)
          assert.strictEqual(times(silent, id), 1)
          const second = yield* Effect.forkChild(working(other))
          yield* ticks(300)
          yield* Fiber.interrupt(second)
          assert.strictEqual((yield* stored)?.unresolved, true)
          assert.notStrictEqual((yield* stored)?.status, "FAILED")
          const free = (yield* queries.float(world.id)).find(
            (one) => one.account === "float:available" && one.currency === currency
          )
          assert.strictEqual(free?.units ?? 0n, 0n)
          yield* Effect.forkScoped(working(other, silent))
          yield* ticks(300)
          assert.deepStrictEqual([times(other, id), times(silent, id)], [0, 1])
          assert.strictEqual((yield* stored)?.status, "SETTLED")
          yield* ledgerHolds(world.id)
        })
      ))
  }
})
