import { of } from "@bursar/core/money/Amount"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import type { PayerSeen } from "@bursar/core/transfer/refund"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Operation } from "@bursar/core/operation/Operation"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accept, baseRequest, hear, paidIn, payer, referenceOf, says, sender, store, submit } from "./world.ts"

const refundOf = (id: string, units: bigint) =>
  baseRequest({ kind: "REFUND", amount: of(units, "EUR"), payee: null, refund: { refundOf: id, name: "Somebody" } })

const begin = (tenant: TenantId, refund: Operation, seen: ReadonlyArray<PayerSeen>) =>
  submit(tenant, beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: seen }))

describe("refunds", () => {
  it.effect("of one ON_RAMP together pay back no more than its provider says arrived", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const source = yield* paidIn(tenant) // 100.00 EUR
      const [one, two] = [
        yield* accept(tenant, refundOf(source.id, 5_000n)),
        yield* accept(tenant, refundOf(source.id, 5_000n))
      ]
      const told = (units: bigint): PayerSeen => ({
        _tag: "Told",
        source: source.id,
        providerReference: referenceOf(source),
        status: "SETTLED",
        sender,
        received: of(units, "EUR"),
        returned: null
      })
      const seen = [told(10_000n), told(6_000n)]
      const tasks = [yield* begin(tenant, one, seen), yield* begin(tenant, two, seen)]
      assert.deepStrictEqual(
        tasks.map(({ _tag }) => _tag),
        ["Wait", "Wait"]
      )
    }).pipe(Effect.provide(store))
  )

  for (const status of ["RETURNED", "FAILED", "UNRESOLVED"] as const)
    it.effect(`are not sent once the provider says ${status} of the ON_RAMP, without how much`, () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const refund = yield* accept(tenant, refundOf(source.id, 5_000n))
        const after = yield* hear(tenant, source, says(status, { returned: null, sender }))
        assert.isTrue(after.unresolved)
        // what lookAtPayer gives of that very answer
        const task = yield* begin(tenant, refund, [
          {
            _tag: "Told",
            source: source.id,
            providerReference: referenceOf(source),
            status,
            sender,
            received: null,
            returned: null
          }
        ])
        assert.strictEqual(task._tag, "Wait")
      }).pipe(Effect.provide(store))
    )

  it.effect("are not sent once the provider says RETURNED in another currency, however few units of it", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const source = yield* paidIn(tenant)
      yield* hear(tenant, source, says("RETURNED", { returned: of(3_000n, "EUR"), sender }))
      const refund = yield* accept(tenant, refundOf(source.id, 7_000n))
      const told = { source: source.id, providerReference: referenceOf(source), sender, received: null }
      const seen = { _tag: "Told", ...told, status: "RETURNED", returned: of(1_000n, "USD") } as const
      assert.strictEqual((yield* begin(tenant, refund, [seen]))._tag, "Wait")
    }).pipe(Effect.provide(store))
  )

  it.effect("are not sent while what the provider has said of it is open, though it says SETTLED to the refund", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const source = yield* paidIn(tenant)
      const refund = yield* accept(tenant, refundOf(source.id, 7_000n))
      const open = yield* hear(tenant, source, says("RETURNED", { returned: of(8_000n, "USD"), sender }))
      assert.isTrue(open.unresolved)
      const told = { source: source.id, providerReference: referenceOf(source), sender, returned: null }
      const lags = { _tag: "Told", ...told, status: "SETTLED", received: of(10_000n, "EUR") } as const
      assert.strictEqual((yield* begin(tenant, refund, [lags]))._tag, "Wait")
    }).pipe(Effect.provide(store))
  )

  it.effect("are not sent once the provider says RETURNED without how much, after a part of which it had told", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const source = yield* paidIn(tenant)
      yield* hear(tenant, source, says("RETURNED", { returned: of(3_000n, "EUR"), sender }))
      const refund = yield* accept(tenant, refundOf(source.id, 7_000n))
      const task = yield* begin(tenant, refund, [
        {
          _tag: "Told",
          source: source.id,
          providerReference: referenceOf(source),
          status: "RETURNED",
          sender,
          received: null,
          returned: null
        }
      ])
      assert.strictEqual(task._tag, "Wait")
    }).pipe(Effect.provide(store))
  )
})
