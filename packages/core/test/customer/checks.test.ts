import { recordCheck, recordOpenedCheck, rereadCheck } from "@bursar/core/customer/checkCommands"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { statusAt, verificationKey, verificationQueue } from "@bursar/core/customer/Customer"
import { mayRegister } from "@bursar/core/account/registration"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { payer, store, submit } from "../transfer/world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const request = { isBusiness: false, displayName: null, country: null }

describe("a customer", () => {
  it.effect("has an identifier that is given once for each tenant", () =>
    run(
      Effect.gen(function* () {
        const [tenant, other] = [yield* payer(), yield* payer()]
        const made = yield* submit(tenant, createCustomer({ ...request, externalId: "user-1" }))
        yield* submit(other, createCustomer({ ...request, externalId: "user-1" }))
        const error = yield* Effect.flip(submit(tenant, createCustomer({ ...request, externalId: "user-1" })))
        assert.strictEqual(error._tag === "Refusal" && error.code, "external_id_taken")
        assert.strictEqual(statusAt(made.verification, 0), "NOT_STARTED")
      })
    )
  )
})

describe("an identity check", () => {
  it.effect("follows the latest decision, in whatever order decisions are told", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant, { check: null })
        const applicant = applicantOf(id)
        yield* submit(tenant, recordOpenedCheck(id, "fake", { applicantId: applicant, status: "APPROVED" }))
        const hear = (...[state, of = applicant]: [Parameters<typeof recordCheck>[2], string?]) =>
          Effect.map(submit(tenant, recordCheck(id, of, state)), ({ verification }) => [
            verification?.status,
            verification?.capabilities.length
          ])
        const green = approved(20)
        const red = approved(30, { status: "REJECTED" })
        assert.deepStrictEqual(yield* hear(approved(10, { status: "PENDING" })), ["PENDING", 0])
        assert.deepStrictEqual(yield* hear(green), ["APPROVED", 3])
        yield* submit(tenant, mayRegister(id))
        assert.deepStrictEqual(yield* hear(red), ["REJECTED", 0], "GREEN and then RED")
        assert.deepStrictEqual(yield* hear(green), ["REJECTED", 0], "GREEN told late")
        assert.deepStrictEqual(yield* hear(approved(40), "another applicant"), ["REJECTED", 0])
        const error = yield* Effect.flip(submit(tenant, mayRegister(id)))
        assert.strictEqual(error._tag === "Refusal" && error.code, "customer_not_verified")
        assert.deepStrictEqual(yield* hear(approved(40)), ["APPROVED", 3])
      })
    )
  )

  it.effect("counts for nothing before it was read, and no longer than it says", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant, { check: null })
        const opened = yield* submit(
          tenant,
          recordOpenedCheck(id, "fake", { applicantId: applicantOf(id), status: "APPROVED" })
        )
        assert.strictEqual(opened.verification?.status, "PENDING")
        const { verification } = yield* submit(tenant, recordCheck(id, applicantOf(id), approved(1, { expiresAt: 50 })))
        assert.deepStrictEqual([statusAt(verification, 49), statusAt(verification, 50)], ["APPROVED", "EXPIRED"])
      })
    )
  )

  it.effect("is read again under the key of its applicant alone", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const jobQueue = yield* JobQueue
        const { id } = yield* newCustomer(tenant, { check: null })
        const open = (applicantId: string) =>
          submit(tenant, recordOpenedCheck(id, "fake", { applicantId, status: "PENDING" }))
        yield* open("one")
        yield* open("two")
        const due = Effect.map(jobQueue.due(verificationQueue, Number.MAX_SAFE_INTEGER, 9), (items) =>
          items.map(({ key }) => key)
        )
        assert.deepStrictEqual(yield* due, [verificationKey("two", id)])
        assert.isUndefined(yield* submit(tenant, rereadCheck(id, verificationKey("one", id))))
        assert.strictEqual((yield* submit(tenant, rereadCheck(id, verificationKey("two", id))))?.id, id)
        assert.deepStrictEqual(yield* due, [verificationKey("two", id)])
      })
    )
  )
})
