import { putRecord } from "@bursar/core/engine/Records"
import type { Storage } from "@bursar/core/engine/Storage"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Series } from "@bursar/core/store/Series"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { adjust, writing } from "../fixtures/commands.ts"
import { bareOperation, newIdAt } from "../fixtures/records.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const hourMs = 3_600_000
const from = Math.ceil(past / hourMs) * hourMs
const steps = { from, until: from + 3 * hourMs, stepMs: hourMs }

/** Puts operations of a tenant as they stand, each accepted so long after the first step began. */
const put = Effect.fnUntraced(function* (
  id: TenantId,
  all: ReadonlyArray<readonly [after: number, Partial<Operation>]>
) {
  const tenant = { id } as Parameters<typeof bareOperation>[0]["tenant"] // of it the fixture reads the id alone
  const records = all.map(([after, more]) => {
    const now = from + after
    return bareOperation({ tenant, now, newId: () => newIdAt(now) }, { createdAt: now, ...more })
  })
  yield* commitAt(
    id,
    from + 4 * hourMs,
    writing(() => records.map((one) => putRecord(Operation, one)))
  )
})

/** What every Series must do: the steps hold exactly what lies in them, of whoever was asked for. */
export const seriesSuite = <E>(
  name: string,
  layer: Layer.Layer<Series | Storage | Tenants, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Series`, (it) => {
    const settled = { kind: "WITHDRAWAL", status: "SETTLED" } as const

    it.effect("sums up operations by step, kind, status and currency; the first moment is in, the last is not", () =>
      Effect.gen(function* () {
        const series = yield* Series
        const { id } = yield* newTenant({ createdAt: past })
        yield* put(id, [
          [-1, { ...settled, amount: of(1n, "ETH") }],
          [0, { ...settled, amount: of(2n, "ETH") }],
          [hourMs - 1, { ...settled, amount: of(10n ** 30n, "ETH") }],
          [hourMs, { ...settled, status: "FAILED", amount: of(5n, "ETH") }],
          [3 * hourMs, { ...settled, amount: of(7n, "ETH") }]
        ])
        const about = { kind: "WITHDRAWAL" } as const
        assert.deepStrictEqual(yield* series.volume({ ...steps, tenantId: id }), [
          { ...about, at: from, status: "SETTLED", amount: of(10n ** 30n + 2n, "ETH"), count: 2 },
          { ...about, at: from + hourMs, status: "FAILED", amount: of(5n, "ETH"), count: 1 }
        ])
        const all = yield* series.volume(steps)
        assert.isTrue(all.some(({ amount }) => amount.units >= 10n ** 30n + 2n))
      })
    )

    it.effect("tells the middle and the 95th of 100 times to settlement, of settled operations alone", () =>
      Effect.gen(function* () {
        const series = yield* Series
        const { id } = yield* newTenant({ createdAt: past })
        yield* put(id, [
          ...[1_000, 2_000, 6_000].map((ms) => [0, { ...settled, settledAt: from + ms }] as const),
          [0, { ...settled, status: "SENT" }]
        ])
        assert.deepStrictEqual(yield* series.settlement({ ...steps, tenantId: id }), [
          { at: from, kind: "WITHDRAWAL", count: 3, medianMs: 2_000, p95Ms: 5_600 }
        ])
      })
    )

    it.effect("adds up what each network took", () =>
      Effect.gen(function* () {
        const series = yield* Series
        const { id } = yield* newTenant({ createdAt: past })
        yield* put(id, [
          [0, { ...settled, network: "base", networkFee: of(3n, "ETH") }],
          [1, { ...settled, network: "base", networkFee: of(4n, "ETH") }],
          [2, { ...settled, network: "base" }]
        ])
        assert.deepStrictEqual(yield* series.fees({ ...steps, tenantId: id }), [
          { at: from, network: "base", fee: of(7n, "ETH"), count: 2 }
        ])
      })
    )

    it.effect("tells what a tenant had at the end of each step, before its first posting nothing", () =>
      Effect.gen(function* () {
        const series = yield* Series
        const { id } = yield* newTenant({ createdAt: past })
        yield* commitAt(id, from + hourMs, adjust(5n))
        yield* commitAt(id, from + hourMs + 1, adjust(2n))
        yield* commitAt(id, from + 3 * hourMs, adjust(100n))
        assert.deepStrictEqual(yield* series.balances(id, steps), [
          { at: from, balance: of(0n, "ETH") },
          { at: from + hourMs, balance: of(7n, "ETH") },
          { at: from + 2 * hourMs, balance: of(7n, "ETH") }
        ])
      })
    )

    it.effect("knows nothing of a tenant that there is not", () =>
      Effect.gen(function* () {
        const series = yield* Series
        const tenantId = "nobody" as TenantId // as a caller could have it
        assert.deepStrictEqual(yield* series.volume({ ...steps, tenantId }), [])
        assert.deepStrictEqual(yield* series.settlement({ ...steps, tenantId }), [])
        assert.deepStrictEqual(yield* series.confirmation({ ...steps, tenantId }), [])
        assert.deepStrictEqual(yield* series.fees({ ...steps, tenantId }), [])
        assert.deepStrictEqual(yield* series.balances(tenantId, steps), [])
      })
    )
  })
}
