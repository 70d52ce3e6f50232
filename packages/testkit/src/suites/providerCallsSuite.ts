import { type ProviderCall, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const at = 1_800_000_000_000

const callOf = (fields: Partial<ProviderCall>): ProviderCall => ({
  tenantId: TenantId(crypto.randomUUID()),
  operationId: crypto.randomUUID(),
  provider: "sandbox",
  call: "withdraw",
  at,
  durationMs: 12,
  outcome: "Done",
  asked: { amount: "1.5 BTC", memo: 'a "quoted"\nline' },
  answered: { state: "Pending" },
  ...fields
})

/** What every ProviderCalls must do. */
export const providerCallsSuite = <E>(
  name: string,
  layer: Layer.Layer<ProviderCalls, E>,
  options: SuiteOptions = {}
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: ProviderCalls`, (it) => {
    it.effect(
      "calls of an operation are told newest first, those that follow one another and say the same as one",
      () =>
        Effect.gen(function* () {
          const calls = yield* ProviderCalls
          const sent = callOf({})
          const { operationId, tenantId } = sent
          const asked = { ...sent, call: "withdrawal", asked: { reference: "r" } } as const
          yield* calls.note(sent)
          yield* calls.note({ ...asked, at: at + 1 })
          yield* calls.note({ ...asked, at: at + 2, durationMs: 40 })
          yield* calls.note({ ...asked, at: at + 3, outcome: "Unknown", answered: { detail: "no answer" } })
          // the same as one before the newest is not counted with it
          yield* calls.note({ ...asked, at: at + 4 })
          const told = yield* calls.callsOf(tenantId, operationId, 10)
          assert.deepStrictEqual(told, [
            { ...asked, at: at + 4, lastAt: at + 4, times: 1 },
            {
              ...asked,
              at: at + 3,
              lastAt: at + 3,
              times: 1,
              outcome: "Unknown",
              answered: { detail: "no answer" }
            },
            { ...asked, at: at + 1, lastAt: at + 2, times: 2, durationMs: 40 },
            { ...sent, lastAt: at, times: 1 }
          ])
          assert.deepStrictEqual(yield* calls.callsOf(tenantId, operationId, 1), told.slice(0, 1))
        }),
      timeoutMs
    )

    it.effect(
      "nobody is told of another's calls",
      () =>
        Effect.gen(function* () {
          const calls = yield* ProviderCalls
          const one = callOf({})
          yield* calls.note(one)
          // an operation of the same id with another tenant
          const other = callOf({ operationId: one.operationId, answered: { state: "Settled" } })
          yield* calls.note(other)
          assert.lengthOf(yield* calls.callsOf(one.tenantId, one.operationId, 10), 1)
          assert.deepStrictEqual(
            (yield* calls.callsOf(other.tenantId, one.operationId, 10)).map(({ answered }) => answered),
            [{ state: "Settled" }]
          )
          assert.deepStrictEqual(yield* calls.callsOf(one.tenantId, crypto.randomUUID(), 10), [])
          assert.deepStrictEqual(yield* calls.callsOf(one.tenantId, "no id", 10), [])
        }),
      timeoutMs
    )

    it.effect(
      "what was first asked long ago is forgotten, so many at a time",
      () =>
        Effect.gen(function* () {
          const calls = yield* ProviderCalls
          const old = callOf({ at: at - 1_000_000 })
          const { operationId, tenantId } = old
          yield* calls.note(old)
          yield* calls.note({ ...old, at: at - 999_999, call: "withdrawal" })
          yield* calls.note({ ...old, at, call: "conversion" })
          assert.strictEqual(yield* calls.forget(at - 999_000, 1), 1)
          assert.strictEqual(yield* calls.forget(at - 999_000, 10), 1)
          assert.strictEqual(yield* calls.forget(at - 999_000, 10), 0)
          yield* calls.note({ ...old, at: at + 1, call: "convert" })
          assert.deepStrictEqual(
            (yield* calls.callsOf(tenantId, operationId, 10)).map(({ call }) => call),
            ["convert", "conversion"]
          )
        }),
      timeoutMs
    )
  })
}
