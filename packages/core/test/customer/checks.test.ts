import {
  endCheck,
  findCustomer,
  recordCheck,
  recordOpenedCheck,
  rereadCheck
} from "@bursar/core/customer/checkCommands"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { checkOfKey, statusAt, verificationKey, verificationQueue } from "@bursar/core/customer/Customer"
import { mayRegister } from "@bursar/core/account/registration"
import type { CheckState, VerificationStatus } from "@bursar/core/port/IdentityProvider"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createAccount } from "@bursar/core/account/createAccount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { payer, refusalOf, store, submit } from "../transfer/world.ts"

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

const open = (tenant: TenantId, id: string, applicantId: string, status: VerificationStatus = "PENDING") =>
  submit(tenant, recordOpenedCheck(id, "fake", { applicantId, status }))

/** In how many milliseconds each check of the queue is read again, by its key. */
const waits = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const due = yield* (yield* JobQueue).due(verificationQueue, Number.MAX_SAFE_INTEGER, 9)
  return due.map(({ dueAt, key }) => [key, dueAt - now] as const)
})

describe("an identity check that is opened", () => {
  it.effect("is of a customer of the tenant", () =>
    run(
      Effect.gen(function* () {
        const [tenant, other] = [yield* payer(), yield* payer()]
        const customer = yield* newCustomer(tenant, { check: null, registered: false })
        assert.deepStrictEqual(yield* submit(tenant, findCustomer(customer.id)), customer)
        const commands = [
          findCustomer(customer.id),
          recordOpenedCheck(customer.id, "fake", { applicantId: "a", status: "PENDING" }),
          recordCheck(customer.id, "a", approved(1)),
          mayRegister(customer.id)
        ]
        for (const command of commands) assert.strictEqual(yield* refusalOf(other, command), "not_found")
      })
    )
  )

  it.effect("takes nothing back of what the same applicant was granted, and is read at once", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant)
        const before = yield* submit(tenant, findCustomer(id))
        assert.deepStrictEqual(yield* open(tenant, id, applicantOf(id)), before)
        assert.deepStrictEqual(yield* submit(tenant, findCustomer(id)), before)
        assert.deepStrictEqual(yield* waits, [[verificationKey(applicantOf(id), id), 0]])
      })
    )
  )

  it.effect("leaves nothing of what another applicant was granted", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant)
        for (const [applicantId, status] of [
          ["two", "APPROVED"],
          ["three", "ACTION_REQUIRED"]
        ] as const) {
          const { verification } = yield* open(tenant, id, applicantId, status)
          assert.deepStrictEqual(verification, {
            provider: "fake",
            applicantId,
            status: status === "APPROVED" ? "PENDING" : status,
            capabilities: [],
            expiresAt: null,
            environment: null,
            decidedAt: null
          })
          assert.strictEqual(yield* refusalOf(tenant, mayRegister(id)), "customer_not_verified")
          assert.deepStrictEqual(yield* waits, [[verificationKey(applicantId, id), 0]])
        }
      })
    )
  )
})

describe("an identity check that is opened while an earlier provider grants something", () => {
  const partial = approved(20, { capabilities: ["payouts"] })

  /** A customer to whom an earlier provider grants payouts, with a check open at the newest. */
  const both = Effect.gen(function* () {
    const tenant = yield* payer()
    const { id } = yield* newCustomer(tenant, { check: null })
    yield* submit(tenant, recordOpenedCheck(id, "earlier", { applicantId: "old", status: "PENDING" }))
    const { verification: granted } = yield* submit(tenant, recordCheck(id, "old", partial))
    if (granted === null) return assert.fail("nothing is granted")
    const openNext = (applicantId = "new", status: VerificationStatus = "PENDING") =>
      submit(tenant, recordOpenedCheck(id, "newest", { applicantId, status }, ["earlier"]))
    yield* openNext()
    const hear = (applicantId: string, state: Parameters<typeof recordCheck>[2]) =>
      Effect.map(submit(tenant, recordCheck(id, applicantId, state)), (customer) => customer.verification)
    const keys = Effect.map(waits, (all) => all.map(([key]) => key).toSorted())
    return {
      tenant,
      id,
      granted,
      openNext,
      hear,
      keys,
      old: verificationKey("old", id),
      key: verificationKey("new", id)
    }
  })

  const newest = { provider: "newest", applicantId: "new" }

  it.effect("leaves what is granted, and both are read, each at its provider", () =>
    run(
      Effect.gen(function* () {
        const { granted, hear, id, key, keys, old, openNext, tenant } = yield* both
        const beside = { ...granted, next: newest }
        assert.deepStrictEqual((yield* openNext()).verification, beside)
        assert.deepStrictEqual(yield* keys, [key, old].toSorted())
        for (const status of ["PENDING", "IN_REVIEW", "ACTION_REQUIRED", "EXPIRED"] as const)
          assert.deepStrictEqual(yield* hear("new", approved(30, { status, capabilities: [] })), beside)
        const customer = yield* submit(tenant, rereadCheck(id, key))
        assert.isDefined(yield* submit(tenant, rereadCheck(id, old)))
        assert.deepStrictEqual(customer && checkOfKey(customer, key), newest)
        assert.strictEqual(customer && checkOfKey(customer, old)?.provider, "earlier")
        assert.deepStrictEqual(yield* hear("old", { ...partial, decidedAt: 40 }), { ...beside, decidedAt: 40 })
        assert.deepStrictEqual(yield* keys, [key, old].toSorted())
      })
    )
  )

  it.effect("takes its place once it is decided, and the earlier one is read no more", () =>
    run(
      Effect.gen(function* () {
        for (const state of [approved(30), approved(10), approved(20, { status: "REJECTED", capabilities: [] })]) {
          const { hear, id, key, tenant } = yield* both
          assert.deepStrictEqual(yield* hear("new", state), { ...newest, ...state })
          assert.isUndefined(yield* submit(tenant, rereadCheck(id, verificationKey("old", id))))
          assert.isDefined(yield* submit(tenant, rereadCheck(id, key)))
          assert.deepStrictEqual(yield* hear("old", approved(90)), { ...newest, ...state })
        }
      })
    )
  )

  it.effect(
    "is not decided by an approval that grants nothing, or nothing any more, while the earlier one counts",
    () =>
      run(
        Effect.gen(function* () {
          const { granted, hear, id, key, old, tenant } = yield* both
          yield* TestClock.setTime(1_000)
          for (const nothing of [approved(30, { capabilities: [] }), approved(30, { expiresAt: 1_000 })])
            assert.deepStrictEqual(yield* hear("new", nothing), { ...granted, next: newest })
          for (const each of [old, key]) assert.isDefined(yield* submit(tenant, rereadCheck(id, each)))
          yield* hear("old", approved(40, { status: "REJECTED", capabilities: [] }))
          const empty = approved(30, { capabilities: [] })
          assert.deepStrictEqual(yield* hear("new", empty), { ...newest, ...empty })
        })
      )
  )

  it.effect("is not decided by a rejection from before the approval", () =>
    run(
      Effect.gen(function* () {
        const { granted, hear } = yield* both
        const before = approved(19, { status: "REJECTED", capabilities: [] })
        assert.deepStrictEqual(yield* hear("new", before), { ...granted, next: newest })
      })
    )
  )

  it.effect("is the customer's as it stands once nothing is granted any more", () =>
    run(
      Effect.gen(function* () {
        const { hear, openNext, id, key, keys, tenant } = yield* both
        const rejected = yield* hear("old", approved(30, { status: "REJECTED", capabilities: [] }))
        assert.deepInclude(rejected, { applicantId: "old", status: "REJECTED" })
        const pending = yield* hear("new", approved(0, { status: "PENDING", capabilities: [] }))
        assert.deepInclude(pending, { ...newest, status: "PENDING" })
        assert.deepStrictEqual(yield* keys, [key])
        assert.isUndefined(yield* submit(tenant, rereadCheck(id, verificationKey("old", id))))
        assert.deepStrictEqual((yield* openNext()).verification, pending)
      })
    )
  )

  it.effect("gives way to another that is opened, and leaves nothing of it to be read", () =>
    run(
      Effect.gen(function* () {
        const { granted, hear, id, keys, old, openNext } = yield* both
        const third = { provider: "newest", applicantId: "third" }
        const { verification } = yield* openNext("third", "APPROVED")
        assert.deepStrictEqual(verification, { ...granted, next: third })
        assert.deepStrictEqual(yield* keys, [old, verificationKey("third", id)].toSorted())
        assert.deepStrictEqual(yield* hear("new", approved(90)), verification)
        yield* hear("old", approved(30, { status: "REJECTED", capabilities: [] }))
        const fourth = yield* openNext("fourth")
        assert.deepInclude(fourth.verification, { applicantId: "fourth", status: "PENDING" })
        assert.notProperty(fourth.verification, "next")
        assert.deepStrictEqual(yield* keys, [verificationKey("fourth", id)])
      })
    )
  )
})

describe("a customer may", () => {
  const account = (customerId: string) =>
    createAccount({
      customerId,
      currency: "EUR",
      country: null,
      provider: { name: "fake", environment: "LIVE" },
      currencies: defaultCurrencies
    })

  it.effect("be registered whatever was granted, and have an account only where that was", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const refusals = Effect.fnUntraced(function* (
          ...capabilities: ReadonlyArray<"fiat_accounts" | "payouts" | "swaps">
        ) {
          const { id } = yield* newCustomer(tenant, { check: approved(1, { capabilities }) })
          return [yield* refusalOf(tenant, mayRegister(id)), yield* refusalOf(tenant, account(id))]
        })
        assert.deepStrictEqual(yield* refusals(), [null, "capability_missing"])
        assert.deepStrictEqual(yield* refusals("payouts", "swaps"), [null, "capability_missing"])
        assert.deepStrictEqual(yield* refusals("fiat_accounts"), [null, null])
      })
    )
  )

  it.effect("do nothing once the approval is over", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant, { check: approved(1, { expiresAt: 1_000 }) })
        yield* TestClock.setTime(999)
        assert.isNull(yield* refusalOf(tenant, account(id)))
        yield* TestClock.setTime(1_000)
        assert.strictEqual(yield* refusalOf(tenant, account(id)), "customer_not_verified")
        assert.strictEqual(yield* refusalOf(tenant, mayRegister(id)), "customer_not_verified")
      })
    )
  )

  it("only be approved by an approval that has not ended", () => {
    const verification = {
      provider: "fake",
      applicantId: "a",
      capabilities: [],
      environment: null,
      decidedAt: 1,
      expiresAt: 5
    } as const
    for (const status of ["PENDING", "REJECTED", "ACTION_REQUIRED", "IN_REVIEW"] as const)
      assert.deepStrictEqual(
        [4, 5, 6].map((now) => statusAt({ ...verification, status }, now)),
        [status, status, status]
      )
    const approval = { ...verification, status: "APPROVED" } as const
    assert.deepStrictEqual(
      [4, 5].map((now) => statusAt(approval, now)),
      ["APPROVED", "EXPIRED"]
    )
    assert.strictEqual(statusAt({ ...approval, expiresAt: null }, 9e15), "APPROVED")
    assert.strictEqual(statusAt(null, 0), "NOT_STARTED")
  })
})

describe("an identity check", () => {
  it.effect("is read again soon while it is undecided, and once a day when it is decided", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant, { check: null })
        const [applicant, minute] = [applicantOf(id), 60_000]
        const key = verificationKey(applicant, id)
        yield* open(tenant, id, applicant)
        yield* TestClock.adjust("1 hour")
        const after = (decidedAt: number, status: VerificationStatus) =>
          Effect.andThen(submit(tenant, recordCheck(id, applicant, approved(decidedAt, { status }))), waits)
        assert.deepStrictEqual(yield* after(1, "PENDING"), [[key, minute]])
        assert.deepStrictEqual(yield* after(1, "IN_REVIEW"), [[key, minute]])
        assert.deepStrictEqual(yield* after(1, "NOT_STARTED"), [[key, minute]])
        assert.deepStrictEqual(yield* after(1, "ACTION_REQUIRED"), [[key, 5 * minute]])
        assert.deepStrictEqual(yield* after(2, "APPROVED"), [[key, 1_440 * minute]])
        assert.deepStrictEqual(yield* after(2, "REJECTED"), [[key, 1_440 * minute]], "said in the same moment")
        assert.deepStrictEqual(yield* after(3, "EXPIRED"), [[key, 1_440 * minute]])
        // while it is read, it waits for the case that nothing comes of it
        assert.strictEqual((yield* submit(tenant, rereadCheck(id, key)))?.id, id)
        assert.deepStrictEqual(yield* waits, [[key, minute / 2]])
        // what was decided earlier changes nothing, and is not the end of reading
        assert.deepStrictEqual(yield* after(2, "PENDING"), [[key, 1_440 * minute]])
        assert.strictEqual((yield* submit(tenant, findCustomer(id))).verification?.status, "EXPIRED")
      })
    )
  )

  it.effect("of nobody is not read again", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant, { check: null })
        for (const [customer, key] of [
          ["nobody", verificationKey("a", "nobody")],
          [id, verificationKey("a", id)],
          [id, verificationKey("undefined", id)]
        ] as const) {
          assert.isUndefined(yield* submit(tenant, rereadCheck(customer, key)))
          assert.deepStrictEqual(yield* waits, [])
        }
        const nothing = yield* submit(tenant, recordCheck(id, "a", approved(1)))
        assert.isNull(nothing.verification)
      })
    )
  )

  /** A new check, and what it is after what the provider says, dated by it or, where it gives no date, by when it was seen. */
  const heard = Effect.gen(function* () {
    const tenant = yield* payer()
    const { id } = yield* newCustomer(tenant, { check: null })
    yield* open(tenant, id, "a")
    const told = (state: CheckState) =>
      Effect.map(submit(tenant, recordCheck(id, "a", state)), ({ verification }) => verification?.status)
    return {
      hear: (decidedAt: number, status: VerificationStatus) => told(approved(decidedAt, { status })),
      see: (at: number, status: VerificationStatus) => told(approved(at, { status, isUndated: true }))
    }
  })

  it.effect("gets the verdict that fell while it was seen without one, and not the one from before again", () =>
    run(
      Effect.gen(function* () {
        const { hear, see } = yield* heard
        yield* see(40, "IN_REVIEW")
        assert.strictEqual(yield* hear(20, "APPROVED"), "APPROVED")
        for (const status of ["IN_REVIEW", "ACTION_REQUIRED"] as const) {
          yield* see(50, status)
          assert.strictEqual(yield* hear(20, "APPROVED"), status, "told again")
          assert.strictEqual(yield* hear(10, "REJECTED"), status, "told late")
        }
        assert.strictEqual(yield* hear(45, "REJECTED"), "REJECTED")
        yield* see(60, "EXPIRED")
        assert.strictEqual(yield* hear(45, "REJECTED"), "REJECTED", "what is brought back counts as it did")
      })
    )
  )

  it.effect("that was rejected and then over does not get the approval from before the rejection", () =>
    run(
      Effect.gen(function* () {
        const { hear, see } = yield* heard
        yield* hear(10, "APPROVED")
        yield* hear(20, "REJECTED")
        for (const at of [30, 40]) {
          assert.strictEqual(yield* see(at, "EXPIRED"), "EXPIRED")
          assert.strictEqual(yield* hear(10, "APPROVED"), "EXPIRED")
        }
        assert.strictEqual(yield* see(50, "IN_REVIEW"), "IN_REVIEW")
        assert.strictEqual(yield* hear(10, "APPROVED"), "IN_REVIEW")
        assert.strictEqual(yield* hear(20, "REJECTED"), "IN_REVIEW")
        assert.strictEqual(yield* hear(45, "APPROVED"), "APPROVED")
      })
    )
  )

  it.effect(
    "whose documents were refused, with a date, does not get an approval from before, also while they are looked at",
    () =>
      run(
        Effect.gen(function* () {
          const { hear, see } = yield* heard
          assert.strictEqual(yield* hear(30, "ACTION_REQUIRED"), "ACTION_REQUIRED")
          assert.strictEqual(yield* hear(20, "APPROVED"), "ACTION_REQUIRED")
          assert.strictEqual(yield* see(50, "IN_REVIEW"), "IN_REVIEW")
          assert.strictEqual(yield* hear(20, "APPROVED"), "IN_REVIEW")
          assert.strictEqual(yield* hear(45, "ACTION_REQUIRED"), "ACTION_REQUIRED", "refused again, in a slow answer")
          assert.strictEqual(yield* hear(60, "APPROVED"), "APPROVED")
        })
      )
  )

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
        yield* open(tenant, id, "one")
        yield* open(tenant, id, "two")
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

describe("an approval whose applicant the provider has deleted", () => {
  it.effect("ends by an operator's word, and counts again only where the provider still tells of it", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(100)
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant)
        const { verification } = yield* submit(tenant, findCustomer(id))
        const applicantId = applicantOf(id)
        if (verification === null) return assert.fail("the customer has no check")
        assert.strictEqual(yield* refusalOf(tenant, endCheck(id, "another")), "state_conflict")
        assert.strictEqual(yield* refusalOf(yield* payer(), endCheck(id, applicantId)), "not_found")
        const ended = yield* submit(tenant, endCheck(id, applicantId))
        assert.deepInclude(ended.verification, { status: "EXPIRED", capabilities: [], decidedAt: 100 })
        assert.strictEqual(yield* refusalOf(tenant, mayRegister(id)), "customer_not_verified")
        assert.deepStrictEqual(yield* waits, [[verificationKey(applicantId, id), 0]])
        assert.strictEqual(yield* refusalOf(tenant, endCheck(id, applicantId)), "state_conflict", "it is over")
        // nothing earlier than the verdict that was known brings it back
        const verdictAt = verification.decidedAt ?? assert.fail("it was never decided")
        const earlier = yield* submit(tenant, recordCheck(id, applicantId, approved(verdictAt - 1)))
        assert.strictEqual(earlier.verification?.status, "EXPIRED")
        const { capabilities, decidedAt, status } = verification
        const again = yield* submit(tenant, recordCheck(id, applicantId, approved(verdictAt)))
        assert.deepInclude(again.verification, { capabilities, decidedAt, status })
        return undefined
      })
    )
  )
})
