import { StorageError } from "@bursar/core/engine/StorageError"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  tick,
  timesPaid
} from "./world.ts"

const elsewhere = "0x00000000000000000000000000000000000000A1"

describe("a tenant with more than its share", () => {
  it.effect("keeps nobody else's payouts waiting by those that there is no room for", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const other = yield* payer("ethereum", fake, 0, elsewhere)
      const many = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => pay(id, "ethereum", n))
      yield* Effect.forkScoped(sending(fake, undefined, { itemsPerPassMax: 3, underWayMax: 1 }))
      for (let n = 0; n < 5; n++) yield* tick
      // no block comes, so that the first stays under way
      const later = yield* pay(other.id, "ethereum", 9)
      for (let n = 0; n < 30; n++) yield* tick
      assert.deepStrictEqual(
        (yield* operationsOf(other.id, [later])).map(({ status }) => status),
        ["SENT"]
      )
      yield* mineUntil(
        fake,
        "all are over",
        Effect.map(Effect.all([allOver(other.id, [later]), allOver(id, many)]), (all) => all.every((one) => one))
      )
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 9)), 1)
      for (const one of [id, other.id]) yield* ledgerHolds(one)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("keeps nobody else's payouts waiting by a number that the signer does not answer for", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    let asked = 0
    const slow = Layer.effect(
      TransactionSigner,
      Effect.map(TransactionSigner, (signer) =>
        TransactionSigner.of({
          ...signer,
          // what is asked of a number that pays nobody is never answered
          signed: (question) =>
            question.requests.length > 0
              ? signer.signed(question)
              : Effect.andThen(
                  Effect.sync(() => void (asked += 1)),
                  Effect.never
                )
        })
      )
    ).pipe(Layer.provide(fake.signer))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const other = yield* payer("ethereum", fake, 0, elsewhere)
      for (const n of [1, 2, 3]) {
        fake.refuseToSign(receiver("ethereum", n), { reason: "nobody has asked for it" })
        yield* pay(id, "ethereum", n)
      }
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 10; n++) yield* tick
      assert.strictEqual(asked, 1)
      const later = yield* pay(other.id, "ethereum", 9)
      yield* mineUntil(fake, "the other's payout is over", allOver(other.id, [later]), 60)
      assert.strictEqual(asked, 1)
      for (const one of [id, other.id]) yield* ledgerHolds(one)
    }).pipe(Effect.provide(Layer.merge(processOver(emptyState(), fake), slow)))
  })

  const failing = Effect.fail(new StorageError({ doing: "read its records", cause: new Error("it takes too long") }))
  for (const [what, isSlow] of [
    ["what the storage cannot read of it", true],
    ["the one record that the storage cannot read of it", false]
  ] as const)
    it.effect(`keeps nobody else's payouts waiting by ${what}`, () => {
      const fake = fakeNetwork({ network: "ethereum" })
      let broken: string | undefined
      const partly = Layer.effect(
        Queries,
        Effect.map(Queries, (queries) =>
          Queries.of({
            ...queries,
            record: (tenantId, kind, key) =>
              tenantId === broken && !isSlow ? failing : queries.record(tenantId, kind, key),
            records: (tenantId, kind, group) =>
              tenantId === broken && isSlow
                ? failing
                : Effect.andThen(Effect.sleep(50), queries.records(tenantId, kind, group))
          })
        )
      )
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer("ethereum", fake)
        const other = yield* payer("ethereum", fake, 0, elsewhere)
        broken = id
        const first = yield* pay(id, "ethereum", 1)
        const later = yield* pay(other.id, "ethereum", 9)
        yield* Effect.forkScoped(sending(fake))
        yield* mineUntil(fake, "the other's payout is over", allOver(other.id, [later]), 60)
        assert.isFalse(yield* allOver(id, [first]))
        broken = undefined
        yield* mineUntil(fake, "it is over", allOver(id, [first]))
        for (const one of [id, other.id]) yield* ledgerHolds(one)
      }).pipe(Effect.provide(Layer.provideMerge(partly, processOver(emptyState(), fake))))
    })
})
