import type { Command } from "@bursar/core/engine/Command"
import { putRecord } from "@bursar/core/engine/Records"
import type { Storage } from "@bursar/core/engine/Storage"
import { fleetTenant, fleetTenantId, Grant, GrantProposal } from "@bursar/core/grant/Grant"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const hash = (one: number): string => one.toString(16).padStart(64, "0")

const grant = (number: number, proposalId: string | null = null): Grant => ({
  number,
  hash: hash(number),
  document: `{"note":"ü ${number}"}`,
  approvals: [{ type: "ed25519", key: "A".repeat(43), signature: "B".repeat(86) }],
  recordedAt: past + number,
  proposalId
})

const proposal = (number: number, state: GrantProposal["state"] = "OPEN"): GrantProposal => ({
  id: crypto.randomUUID(),
  number,
  hash: hash(number),
  document: `{"number":"${number}"}`,
  approvals: [{ person: "ann", at: past, approval: grant(1).approvals[0]! }],
  state,
  proposedBy: "olga",
  proposedAt: past + number,
  expiresAt: past + 1_000_000,
  decidedBy: state === "OPEN" ? null : "olga",
  decidedAt: state === "OPEN" ? null : past + 2,
  reason: state === "REJECTED" ? "No." : null
})

const putting = (proposals: ReadonlyArray<GrantProposal>, grants: ReadonlyArray<Grant>): Command<void> => ({
  name: "PutGrants",
  reads: [],
  decide: () =>
    Result.succeed({
      changes: [
        ...proposals.map((one) => putRecord(GrantProposal, one)),
        ...grants.map((one) => putRecord(Grant, one))
      ],
      reply: undefined
    })
})

const commit = (tenantId: TenantId, proposals: ReadonlyArray<GrantProposal>, grants: ReadonlyArray<Grant>) =>
  commitAt(tenantId, past + 10, putting(proposals, grants))

/** What every GrantStore must do. */
export const grantStoreSuite = <E>(
  name: string,
  layer: Layer.Layer<GrantStore | Storage | Tenants, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: GrantStore`, (it) => {
    it.effect("a chain is read from a place on, as it was written, and is its tenant's alone", () =>
      Effect.gen(function* () {
        const store = yield* GrantStore
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        const first = proposal(1, "GRANTED")
        const chain = [grant(1, first.id), grant(2), grant(3)]
        yield* commit(one.id, [first], chain)
        yield* commit(other.id, [], [grant(1)])
        assert.deepStrictEqual(yield* store.after(one.id, 0, 10), chain)
        assert.deepStrictEqual(yield* store.after(one.id, 1, 1), chain.slice(1, 2))
        assert.deepStrictEqual(yield* store.after(other.id, 0, 10), [grant(1)])
        assert.deepStrictEqual(yield* store.after(other.id, 1, 10), [])
      })
    )

    it.effect("the end of each tenant's chain is told, of those that have grants", () =>
      Effect.gen(function* () {
        const store = yield* GrantStore
        const [one, other, none] = [yield* newTenant(), yield* newTenant(), yield* newTenant()]
        yield* commit(one.id, [], [grant(1), grant(2), grant(3)])
        yield* commit(other.id, [], [grant(1)])
        const ends = yield* store.ends
        const numbers = [one, other, none].map(({ id }) => ends.find(({ tenantId }) => tenantId === id)?.number)
        assert.deepStrictEqual(numbers, [3, 1, undefined])
        assert.isFalse(ends.some(({ tenantId }) => tenantId === fleetTenantId))
      })
    )

    it.effect("a place in a chain is taken once", () =>
      Effect.gen(function* () {
        const store = yield* GrantStore
        const { id } = yield* newTenant()
        yield* commit(id, [], [grant(1)])
        const again = yield* Effect.exit(commit(id, [], [{ ...grant(1), hash: hash(9) }]))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* store.after(id, 0, 10), [grant(1)])
      })
    )

    it.effect("the proposals that wait come first, however many were decided since, and each by its id", () =>
      Effect.gen(function* () {
        const store = yield* GrantStore
        const { id } = yield* newTenant()
        const [first, second, third] = [proposal(1), proposal(2, "REJECTED"), proposal(3)]
        yield* commit(id, [first, second, third], [])
        assert.deepStrictEqual(yield* store.proposals(id, past, 2), [third, first, second])
        assert.deepStrictEqual(yield* store.proposals(id, past, 0), [third, first])
        assert.deepStrictEqual(yield* store.proposals(id, past + 1_000_000, 2), [third, second])
        assert.deepStrictEqual(yield* store.proposal(id, first.id), first)
        const decided = { ...first, state: "GRANTED" as const, decidedBy: "bob", decidedAt: past + 5 }
        yield* commit(id, [decided], [])
        assert.deepStrictEqual(yield* store.proposal(id, decided.id), decided)
        const { id: stranger } = yield* newTenant()
        assert.isUndefined(yield* store.proposal(stranger, decided.id))
        assert.isUndefined(yield* store.proposal(id, "no id"))
        assert.isUndefined(yield* store.proposal(null, decided.id))
      })
    )

    it.effect("the fleet has a chain, and is no tenant that anybody finds", () =>
      Effect.gen(function* () {
        const store = yield* GrantStore
        const tenants = yield* Tenants
        const before = yield* store.after(null, 0, 10)
        const next = grant(before.length + 1)
        yield* commit(fleetTenantId, [], [next])
        assert.deepStrictEqual(yield* store.after(null, before.length, 10), [next])
        assert.isUndefined(yield* tenants.byId(fleetTenantId))
        assert.isUndefined(yield* tenants.bySlug(fleetTenant.slug))
        assert.isFalse((yield* tenants.list).tenants.some(({ id }) => id === fleetTenantId))
      })
    )
  })
}
