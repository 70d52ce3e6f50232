import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { FakeAnswer, FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { type processOver, submit, tick } from "./world.ts"

/** Cancels a payout of which something is stored as signed, as an operator does. */
export const cancel = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, id)
  if (payout?.transactionId == null) return assert.fail("it is in no transaction")
  const transaction = yield* queries.record(tenantId, OutboundTransaction, payout.transactionId)
  const askedAt = yield* Clock.currentTimeMillis
  return (yield* submit(
    tenantId,
    cancelPayout({ payout, transaction, askedAt, by: "ann", currencies: defaultCurrencies })
  )).state
})

/** Gives a transaction as evidence for a payout, as an operator does: `given`, or why not. */
export const give = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation, txHash: string) {
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, id)
  if (payout === undefined) return assert.fail("no payout")
  const before = yield* givenBefore(queries, tenantId, { network: payout.network, payout, txHash })
  return yield* submit(tenantId, attachEvidence({ payout, txHash, note: "it paid", by: "ann", before })).pipe(
    Effect.as("given"),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )
})

/** Lets so many seconds pass, with a block in each. */
export const mineFor = Effect.fnUntraced(function* (fake: FakeSender, seconds: number) {
  for (let left = seconds; left > 0; left--) {
    fake.mine(yield* Clock.currentTimeMillis)
    yield* tick
  }
})

/** What a worker runs over. */
export type Ports = Layer.Success<ReturnType<typeof processOver>>

/** Does something the first time that a worker comes to a place. */
export const once = (place: Place, effect: Effect.Effect<unknown, unknown, Ports>) =>
  Effect.gen(function* () {
    const ports = yield* Effect.context<Ports>()
    let isDone = false
    return (name: Place) =>
      Effect.suspend(() => {
        if (isDone || name !== place) return Effect.void
        isDone = true
        return Effect.asVoid(Effect.orDie(Effect.provideContext(effect, ports)))
      })
  })

/** A node that goes on like that. */
export const always = (answer: FakeAnswer): ReadonlyArray<FakeAnswer> => Array.from({ length: 10_000 }, () => answer)
