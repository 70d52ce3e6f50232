import { fenced, leaseEpoch } from "@bursar/core/engine/fenced"
import type { Read } from "@bursar/core/engine/Read"
import type { View } from "@bursar/core/engine/View"
import { Leadership } from "@bursar/core/port/Leadership"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { adjust, emitting, looking } from "../../fixtures/commands.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { commit, ends, type StorageIt } from "./services.ts"
import { readRecord, readFact } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Operation } from "@bursar/core/operation/Operation"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { liveAddress } from "@bursar/core/address/owners"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { networkHeight } from "@bursar/core/address/networkHeight"
import { orderOwner } from "@bursar/core/custody/orderOwner"
import { payoutsOff } from "@bursar/core/operation/payoutsOff"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"

const id = "01902f4e-0000-7000-8000-000000000001"

/** Every kind of read, and the question that it allows. */
const questions: ReadonlyArray<readonly [Read, (view: View) => unknown]> = [
  [{ _tag: "Balance", account: "float:held", currency: "BTC" }, (view) => view.balance("float:held", "BTC").units],
  [readRecord(IdempotencyRecord, "k"), (view) => view.get(IdempotencyRecord, "k")],
  [readRecord(Operation, id), (view) => view.get(Operation, id)],
  [readRecord(DepositAddress, id), (view) => view.get(DepositAddress, id)],
  [{ _tag: "LiveAddress", network: "tron", address: "T1" }, (view) => liveAddress(view, "tron", "T1")],
  [
    readRecord(Deposit, { network: "tron", txHash: "t", transferIndex: 0 }),
    (view) => view.get(Deposit, { network: "tron", txHash: "t", transferIndex: 0 })
  ],
  [readFact(leaseEpoch, `nobody-${id}`), (view) => view.fact(leaseEpoch, `nobody-${id}`)],
  [readFact(networkHeight, "stellar"), (view) => view.fact(networkHeight, "stellar")],
  [readFact(orderOwner, "kraken|1"), (view) => view.fact(orderOwner, "kraken|1")],
  [readFact(payoutsOff, "stellar"), (view) => view.fact(payoutsOff, "stellar")],
  [readRecord(ApiKey, "AAAAAAAA"), (view) => view.get(ApiKey, "AAAAAAAA")],
  [readRecord(WebhookEndpoint, id), (view) => view.get(WebhookEndpoint, id)]
]

/** What a command may see, and how a leadership that was lost stops it. */
export const readTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "what a command did not declare it cannot see: asking is a defect",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        for (const [read, ask] of questions) {
          assert.deepStrictEqual(ends(yield* commit(tenant.id, looking([], ask))), ["Die"], `${read._tag}, undeclared`)
          assert.deepStrictEqual(
            ends(yield* commit(tenant.id, looking([read], ask))),
            ["Success"],
            `${read._tag}, declared`
          )
        }
      }),
    timeoutMs
  )

  it.effect(
    "what was declared and is not there is absent, a balance nothing, a lease zero",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const seen = yield* commit(tenant.id, ...questions.map(([read, ask]) => looking([read], ask)))
        const none = (read: Read): unknown =>
          read._tag === "Balance" ? 0n : read._tag === "Fact" ? read.of.none : undefined
        for (const [index, [read]] of questions.entries()) {
          // these belong to everybody: another suite may have set them
          if (read._tag === "Fact" && read.of !== leaseEpoch) continue
          assert.deepStrictEqual(seen[index], Exit.succeed(none(read)), read._tag)
        }
      }),
    timeoutMs
  )

  it.effect(
    "a posting to an account whose balance was not declared is a defect and books nothing",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const careless = { ...adjust(5n), reads: [] }
        assert.deepStrictEqual(ends(yield* commit(tenant.id, careless)), ["Die"])
      }),
    timeoutMs
  )

  it.effect(
    "a command under the epoch of a former leader is refused, under the present one it is carried out",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const leadership = yield* Leadership
        const name = `test-${tenant.id}`
        const term = Effect.gen(function* () {
          const elected = yield* Deferred.make<number>()
          const fiber = yield* Effect.forkChild(
            leadership.lead(name, ({ epoch }) => Effect.andThen(Deferred.succeed(elected, epoch), Effect.never))
          )
          return { epoch: yield* Deferred.await(elected), end: Fiber.interrupt(fiber) }
        })
        const first = yield* term
        const old = fenced({ name, epoch: first.epoch }, emitting())
        assert.deepStrictEqual(yield* commit(tenant.id, old), [Exit.succeed(1)])
        yield* first.end
        const second = yield* term
        const fresh = fenced({ name, epoch: second.epoch }, emitting())
        const exits = yield* commit(tenant.id, old, fresh)
        assert.deepStrictEqual(ends(exits), ["Fail", "Success"])
        assert.include(JSON.stringify(exits[0]), "fenced")
        yield* second.end
      }),
    timeoutMs
  )
}
