import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sentWithdrawal, stored, swapSent, transferSent, withdrawal } from "../resolution/world.ts"
import { bought, says as saysSwap } from "../swap/world.ts"
import { hear, payer, says, send } from "../transfer/world.ts"
import { store, submit, wrong } from "../withdrawal/world.ts"

const denied = refused("an exhaustive search found nothing")

const waiting = Effect.flatMap(JobQueue, (jobs) =>
  Effect.map(
    Effect.forEach([custodianQueue, transferQueue], (queue) => jobs.due(queue, Number.MAX_SAFE_INTEGER, 9)),
    (all) => all.flat().length
  )
)

const networkFeeBorneBy = "RECEIVER"
const currencies = defaultCurrencies

/** What was sent, how its denial is heard, and how that it was carried out after all. */
const kinds = [
  {
    what: "a swap",
    made: swapSent,
    deny: (tenant: TenantId, operation: Operation) => saysSwap(tenant, operation, denied),
    settle: (tenant: TenantId, operation: Operation) =>
      saysSwap(tenant, operation, done({ _tag: "Settled", providerReference: "c-1", received: of(5_000_000n, bought) }))
  },
  {
    what: "a withdrawal",
    made: sentWithdrawal,
    deny: (tenant: TenantId, operation: Operation) =>
      submit(tenant, recordWithdrawal({ operation, answer: denied, networkFeeBorneBy, currencies })),
    settle: (tenant: TenantId, operation: Operation) => {
      const answer = done({ _tag: "Settled", providerReference: "c-1", txHash: null, networkFee: null } as const)
      return submit(tenant, recordWithdrawal({ operation, answer, networkFeeBorneBy, currencies }))
    }
  },
  ...[
    { what: "a BANK_TRANSFER", made: transferSent },
    {
      what: "an ON_RAMP",
      made: Effect.gen(function* () {
        const tenant = yield* payer()
        return { tenant, operation: yield* send(tenant, { kind: "ON_RAMP", payee: null }) }
      })
    }
  ].map((one) => ({
    ...one,
    deny: (tenant: TenantId, operation: Operation) =>
      // what is refused at once was not taken
      Effect.forEach([unknown("not yet"), denied], (answer) =>
        submit(tenant, recordTransfer({ operation, answer, currencies }))
      ),
    settle: (tenant: TenantId, operation: Operation) =>
      hear(tenant, operation, says("SETTLED", { providerReference: "c-1" }))
  }))
]

describe("an order that its provider denies", () => {
  for (const { deny, made, settle, what } of kinds)
    it.effect(`${what}, fails, and is asked about for a while: that it was carried out after all is noted`, () =>
      Effect.gen(function* () {
        const { operation, tenant } = yield* made
        yield* deny(tenant, operation)
        assert.strictEqual((yield* stored(tenant, operation)).status, "FAILED")
        assert.strictEqual(yield* waiting, 1)
        // the same again is no news
        yield* deny(tenant, operation)
        assert.deepStrictEqual(contradictionsOf(yield* stored(tenant, operation)), [])
        for (let times = 0; times < 2; times += 1) yield* settle(tenant, operation)
        const after = yield* stored(tenant, operation)
        const noted = contradictionsOf(after).map(({ moved, reference }) => ({ moved, reference }))
        assert.deepStrictEqual([after.status, noted], ["FAILED", [{ moved: true, reference: "c-1" }]])
        yield* TestClock.adjust(resolutionWatchMs)
        yield* deny(tenant, operation)
        assert.strictEqual(yield* waiting, 0)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("is asked about no more where it was cancelled before it was sent", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* withdrawal
      yield* submit(tenant, cancelOperation({ operation, by: "olga", currencies }))
      const after = yield* stored(tenant, operation)
      assert.deepStrictEqual([after.status, after.details.failed_at, yield* waiting], ["FAILED", undefined, 0])
    }).pipe(Effect.provide(store))
  )
})
