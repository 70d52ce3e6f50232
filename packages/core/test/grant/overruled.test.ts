import { setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { directionOf } from "@bursar/core/grant/direction"
import type { GrantDocument } from "@bursar/core/grant/GrantDocument"
import { type LowerableRows, overruledProblem } from "@bursar/core/grant/overruled"
import { type PolicyValues, policyValues } from "@bursar/core/grant/PolicyValues"
import { settingsByOperator, suspendByOperator } from "@bursar/core/granting/byOperator"
import { defaultPolicy, type Tenant, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { documentOn } from "@bursar/testkit/fixtures/grants"
import { newTenant, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { store } from "../transfer/world.ts"
import { world } from "./chain.ts"

const submit = <A>(id: TenantId, command: Command<A>) => Effect.flatMap(Writer, (writer) => writer.submit(id, command))

const loweredAt = 1_700_000_000_000

const valuesOf = (policy: Partial<TenantPolicy>): PolicyValues =>
  policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } })

const tenant = (policy: Partial<TenantPolicy>, more: Partial<Tenant> = {}): Tenant =>
  tenantRecord(0, { policy: { ...defaultPolicy, ...policy }, loweredAt, ...more })

describe("a document that was made before an operator has lowered something", () => {
  it.effect(
    "is refused where it would put back a value that stands lowered, alone or among others, and never later",
    () =>
      Effect.gen(function* () {
        const chain = (yield* world()).chain()
        const problem = (row: Tenant, { from, to }: { readonly from?: PolicyValues; readonly to: PolicyValues }) => {
          const judged = { before: from, direction: directionOf("policy", from, to) }
          const document = documentOn(chain, "policy", to)
          const at = (madeAt: number) => overruledProblem({ document, judged, madeAt }, { tenant: row, switches: [] })
          assert.isUndefined(at(loweredAt + 1))
          assert.strictEqual(at(loweredAt), at(loweredAt - 1))
          return at(loweredAt)
        }
        const agreed = valuesOf({ signaturesRequired: ["xpubs"], payoutMinimums: { BTC: "1" } })
        const row = tenant({
          payoutLimitUsd: "7",
          signaturesRequired: ["swaps", "xpubs"],
          payoutMinimums: { BTC: "2" }
        })
        const repeated = problem(row, { from: agreed, to: agreed })
        assert.include(repeated, "put back signatures_required, payout_limit_usd, payout_minimums.")
        const raised = problem(row, { from: agreed, to: { ...agreed, payout_limit_usd: "2000000" } })
        assert.include(raised, "put back payout_limit_usd.")
        assert.include(problem(row, { to: agreed }), "put back signatures_required, payout_limit_usd, payout_minimums.")
        // what stays lowered is not put back
        for (const to of [
          { ...agreed, payout_limit_usd: "100" },
          { ...agreed, slippage_bps: "5" },
          { ...agreed, signatures_required: [], slippage_bps: "5" }
        ])
          assert.isUndefined(problem(row, { from: agreed, to }))
        // a row that says what no policy can say is judged by what it can be read for
        const odd = { ...row.policy, payoutLimitUsd: 7, payoutMinimums: null } as never // what the database can hold
        assert.include(problem({ ...row, policy: odd }, { from: agreed, to: agreed }), "put back signatures_required.")
        // and what stands lowered nowhere is
        assert.isUndefined(problem(tenant({}), { from: valuesOf({}), to: valuesOf({ payoutLimitUsd: null }) }))
        assert.isUndefined(problem(tenant({ payoutLimitUsd: "7" }), { to: valuesOf({ payoutLimitUsd: "7" }) }))
        assert.isUndefined(problem(tenantRecord(0, { policy: row.policy }), { from: agreed, to: agreed }))
      })
  )

  it.effect("ends no suspension and resumes no network that stand, and stops what it likes", () =>
    Effect.gen(function* () {
      const chain = (yield* world()).chain()
      const judged = { before: undefined, direction: "changes_nothing" } as const
      const problem = (document: GrantDocument, rows: LowerableRows, madeAt = loweredAt) =>
        overruledProblem({ document, judged, madeAt }, rows)
      const suspension = (suspended: boolean) => documentOn(chain, "suspension", { suspended, reason: "" })
      const suspended = { tenant: tenant({}, { status: "SUSPENDED" }), switches: [] }
      assert.include(problem(suspension(false), suspended), "suspended the tenant")
      assert.isUndefined(problem(suspension(false), suspended, loweredAt + 1))
      assert.isUndefined(problem(suspension(true), suspended))
      assert.isUndefined(problem(suspension(false), { tenant: tenant({}), switches: [] }))

      const network = (stopped: boolean) => documentOn(chain, "network", { network: "tron", stopped, reason: "" })
      const switched = (name: "base" | "tron", payoutsOff: boolean) => ({
        switches: [{ network: name, payoutsOff, reason: null, changedBy: "olga", changedAt: loweredAt }]
      })
      // who says it again and again to keep it stopped is named to those who approve
      assert.include(
        problem(network(false), switched("tron", true)),
        "olga has stopped tron since this was proposed, at "
      )
      assert.isUndefined(problem(network(false), switched("tron", true), loweredAt + 1))
      assert.isUndefined(problem(network(true), switched("tron", true)))
      assert.isUndefined(problem(network(false), switched("tron", false)))
      assert.isUndefined(problem(network(false), switched("base", true)))
    })
  )
})

describe("the row of a tenant", () => {
  it.effect("says when an operator has last lowered something, and nothing of what raises or says nothing", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const policy = (patch: Partial<TenantPolicy>) =>
        Effect.map(submit(id, settingsByOperator(setTenantPolicy(patch), patch)), (one) => one.loweredAt !== undefined)
      assert.isFalse(yield* policy({}))
      assert.isFalse(yield* policy({ payoutLimitUsd: "30000", ipAllowlist: null }))
      assert.isTrue(yield* policy({ ipAllowlist: ["10.0.0.1"], payoutLimitUsd: "40000" }))
      const other = (yield* newTenant()).id
      assert.isUndefined((yield* submit(other, setTenantStatus("ACTIVE"))).loweredAt)
      assert.isDefined((yield* submit(other, suspendByOperator)).loweredAt)
    }).pipe(Effect.provide(store))
  )

  it.effect("says so, too, when an operator has said again what stands already", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      yield* submit(id, setTenantStatus("ACTIVE"))
      const off = { payoutsEnabled: false, payoutLimitUsd: "7" }
      for (const command of [
        settingsByOperator(setTenantPolicy(off), off),
        settingsByOperator(setTenantPolicy({ payoutLimitUsd: "7.0" }), { payoutLimitUsd: "7.0" }),
        suspendByOperator,
        suspendByOperator
      ]) {
        yield* TestClock.adjust("1 second")
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual((yield* submit(id, command)).loweredAt, now)
      }
      // what raises the rest
      const raised = { payoutsEnabled: true }
      const { loweredAt: before } = yield* submit(id, suspendByOperator)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* submit(id, settingsByOperator(setTenantPolicy(raised), raised))).loweredAt, before)
    }).pipe(Effect.provide(store))
  )
})
