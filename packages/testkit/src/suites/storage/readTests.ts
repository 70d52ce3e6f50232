import { fenced } from "@bursar/core/engine/fenced"
import type { Read } from "@bursar/core/engine/Read"
import type { View } from "@bursar/core/engine/View"
import { Leadership } from "@bursar/core/port/Leadership"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { adjust, emitting, looking } from "../../fixtures/commands.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { commit, ends, type StorageIt } from "./services.ts"

const id = "01902f4e-0000-7000-8000-000000000001"

/** Every kind of read, and the question that it allows. */
const questions: ReadonlyArray<readonly [Read, (view: View) => unknown]> = [
  [{ _tag: "Balance", account: "float:held", currency: "BTC" }, (view) => view.balance("float:held", "BTC").units],
  [{ _tag: "IdempotencyRecord", key: "k" }, (view) => view.idempotencyRecord("k")],
  [{ _tag: "Operation", id }, (view) => view.operation(id)],
  [{ _tag: "Address", id }, (view) => view.address(id)],
  [{ _tag: "LiveAddress", network: "tron", address: "T1" }, (view) => view.liveAddress("tron", "T1")],
  [
    { _tag: "Deposit", network: "tron", txHash: "t", transferIndex: 0 },
    (view) => view.deposit({ network: "tron", txHash: "t", transferIndex: 0 })
  ],
  [{ _tag: "Lease", name: `nobody-${id}` }, (view) => view.lease(`nobody-${id}`)],
  [{ _tag: "Height", network: "stellar" }, (view) => view.height("stellar")],
  [{ _tag: "PayoutsOff", network: "stellar" }, (view) => view.payoutsOff("stellar")],
  [{ _tag: "ApiKey", id: "AAAAAAAA" }, (view) => view.apiKey("AAAAAAAA")],
  [{ _tag: "Endpoint", id }, (view) => view.endpoint(id)]
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
        const nothing = new Map<Read["_tag"], unknown>([
          ["Balance", 0n],
          ["Lease", 0]
        ])
        for (const [index, [read]] of questions.entries()) {
          if (read._tag === "Height" || read._tag === "PayoutsOff") continue
          assert.deepStrictEqual(seen[index], Exit.succeed(nothing.get(read._tag)), read._tag)
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
