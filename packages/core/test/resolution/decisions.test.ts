import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { Proof } from "@bursar/core/port/ChainSender"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { rejectResolution } from "@bursar/core/resolution/resolutionCommands"
import { Queries } from "@bursar/core/store/Queries"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { hear, payer, propose, refusalOf, says, send, store, submit } from "../transfer/world.ts"
import { approval, euros, resolved, sentWithdrawal, stated, stored, swapSent, transferSent } from "./world.ts"

const dueAt = Effect.fnUntraced(function* (queue: string, key: string) {
  const jobs = yield* (yield* JobQueue).due(queue, Number.MAX_SAFE_INTEGER, 100)
  return jobs.find((job) => job.key === key)?.dueAt
})

const resolutionOf = (tenant: TenantId, { id }: Resolution) =>
  Effect.flatMap(Queries, (queries) => queries.record(tenant, Resolution, id))

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: null }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "it is not there" }

describe("a proposal of what became of an order", () => {
  it.effect("moves nothing, and is approved by another person than the one who made it, once", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const statement = stated()
      const proposal = yield* propose(tenant, operation, statement)
      const createdAt = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(proposal, {
        ...statement,
        id: proposal.id,
        operationId: operation.id,
        state: "PROPOSED",
        proposedBy: "anna",
        said: null,
        noted: [],
        decidedBy: null,
        rejectedReason: null,
        createdAt,
        decidedAt: null
      })
      assert.deepStrictEqual(yield* stored(tenant, operation), operation)
      for (const by of ["anna", "Anna", "ANNA"])
        assert.strictEqual(yield* refusalOf(tenant, approval(operation, proposal, by)), "state_conflict")
      yield* TestClock.adjust(5_000)
      const applied = yield* submit(tenant, approval(operation, proposal))
      const decided = { state: "APPLIED", decidedBy: "ben", decidedAt: createdAt + 5_000 } as const
      assert.deepStrictEqual(applied, { ...proposal, ...decided })
      assert.deepStrictEqual(yield* resolutionOf(tenant, proposal), applied)
      assert.deepStrictEqual((yield* stored(tenant, operation)).details.resolution, {
        id: proposal.id,
        outcome: "SETTLED",
        basis: "PROVIDER",
        proposed_by: "anna",
        approved_by: "ben",
        at: createdAt + 5_000,
        received_units: null,
        received_currency: null
      })
      assert.strictEqual(yield* refusalOf(tenant, approval(operation, proposal)), "state_conflict")
      const late = rejectResolution(operation.id, proposal.id, "ben", "too late")
      assert.strictEqual(yield* refusalOf(tenant, late), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect("is the only one that waits, and another may follow once it is rejected", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const first = yield* propose(tenant, operation, stated())
      assert.strictEqual((yield* Effect.flip(propose(tenant, operation, stated({ text: "other" }))))._tag, "Refusal")
      yield* TestClock.adjust(1_000)
      const rejected = yield* submit(tenant, rejectResolution(operation.id, first.id, "anna", "a mistake"))
      assert.deepStrictEqual(rejected, {
        ...first,
        state: "REJECTED",
        decidedBy: "anna",
        rejectedReason: "a mistake",
        decidedAt: first.createdAt + 1_000
      })
      assert.deepStrictEqual(yield* stored(tenant, operation), operation)
      assert.strictEqual(yield* refusalOf(tenant, approval(operation, first)), "state_conflict")
      assert.strictEqual((yield* propose(tenant, operation, stated())).state, "PROPOSED")
    }).pipe(Effect.provide(store))
  )

  it.effect("is of its own operation and tenant", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* sentWithdrawal, yield* sentWithdrawal]
      const proposal = yield* propose(one.tenant, one.operation, stated())
      const elsewhere = { ...proposal, id: "nowhere" }
      assert.strictEqual(yield* refusalOf(one.tenant, approval(one.operation, elsewhere)), "not_found")
      assert.strictEqual(yield* refusalOf(one.tenant, approval(other.operation, proposal)), "not_found")
      for (const [operationId, id] of [
        [one.operation.id, "nowhere"],
        [other.operation.id, proposal.id]
      ] as const)
        assert.strictEqual(yield* refusalOf(one.tenant, rejectResolution(operationId, id, "ben", "no")), "not_found")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not approved where the order was told of meanwhile", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* transferSent
      const proposal = yield* propose(tenant, operation, stated({ outcome: "FAILED" }))
      yield* hear(tenant, operation, says("SETTLED"))
      assert.strictEqual(yield* refusalOf(tenant, approval(operation, proposal)), "state_conflict")
      assert.strictEqual((yield* stored(tenant, operation)).status, "SETTLED")
      assert.strictEqual((yield* resolutionOf(tenant, proposal))?.state, "PROPOSED")
    }).pipe(Effect.provide(store))
  )

  it.effect("that stands on the chain needs its proof when it is made, and again when it is approved", () =>
    Effect.gen(function* () {
      const { operation, tenant } = yield* sentWithdrawal
      const note = (hash: string, proof: Proof) =>
        submit(tenant, noteEvidence({ operation, note: "seen", by: "anna", transaction: { hash, proof } }))
      yield* note("0x1", denied)
      const statement = stated({ basis: "CHAIN", txHash: "0x1", providerReference: null })
      assert.strictEqual((yield* Effect.flip(propose(tenant, operation, statement)))._tag, "Refusal")
      yield* note("0x2", proven)
      assert.strictEqual((yield* Effect.flip(propose(tenant, operation, statement)))._tag, "Refusal", "another's")
      yield* note("0x1", proven)
      const proposal = yield* propose(tenant, operation, statement)
      for (const proof of [null, denied, { ...denied, verdict: "UNREADABLE" } as const])
        assert.strictEqual(yield* refusalOf(tenant, approval(operation, proposal, "ben", proof)), "state_conflict")
      yield* submit(tenant, approval(operation, proposal, "ben", proven))
      assert.deepInclude(yield* stored(tenant, operation), {
        status: "SETTLED",
        txHash: "0x1",
        providerReference: "0x1"
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the provider asked for a while, in case it says something else", () =>
    Effect.gen(function* () {
      for (const [made, queue] of [
        [yield* sentWithdrawal, custodianQueue],
        [yield* swapSent, custodianQueue],
        [yield* transferSent, transferQueue]
      ] as const) {
        const { operation, tenant } = made
        yield* resolved(tenant, operation, stated({ outcome: "FAILED", providerReference: operation.id }))
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(yield* dueAt(queue, operation.id), now + 60_000, operation.kind)
      }
      // a transfer that settled is asked about anyway, for its return
      const tenant = yield* payer()
      const operation = yield* send(tenant)
      const after = yield* resolved(tenant, operation, stated(euros(10_000n)))
      assert.deepInclude(after.details.resolution, { received_units: "10000", received_currency: "EUR" })
      const heard = yield* payer()
      const other = yield* send(heard)
      yield* hear(heard, other, says("SETTLED"))
      assert.strictEqual(yield* dueAt(transferQueue, operation.id), yield* dueAt(transferQueue, other.id))
    }).pipe(Effect.provide(store))
  )
})
