import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

/** Writes something of another form into the settings of a tenant's row, as somebody with the database can. */
const writeInto = (state: State, id: string, odd: object) => {
  const held = state.tenants.get(id as TenantId) ?? assert.fail("there is no such tenant") // an id of the API is one
  const policy: TenantPolicy = { ...held.head.tenant.policy, ...odd } // which it is no longer
  held.head = { ...held.head, tenant: { ...held.head.tenant, policy } }
}

layer(layerGranted, { excludeTestServices: true })("a tenant whose row has a setting of another form", (it) => {
  it.effect("is listed and named, suspended and lowered, and mended by a grant; others are listed as ever", () =>
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const { ann, approve, as, bob, propose, state, tenant } = yield* setUp
      const other = yield* seeder.tenant()
      const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
      const first = yield* propose({ kind: "policy", values: policy })
      for (const by of [ann, bob]) yield* approve(first, by)
      writeInto(state, tenant, { payoutMinimums: null, creditOrigins: 5, payoutLimitUsd: 7 })

      const path = `/operator/v1/tenants/${tenant}`
      const list = yield* operate("GET", "/operator/v1/tenants")
      assert.strictEqual(list.status, 200)
      const ids = (list.body.tenants as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
      assert.includeMembers(ids, [tenant, other])
      assert.deepStrictEqual(
        (list.body.unreadable as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id),
        [tenant]
      )
      assert.include(JSON.stringify(list.body.unreadable), "creditOrigins, payoutLimitUsd, payoutMinimums")
      assert.strictEqual((yield* operate("GET", path)).status, 200)
      assert.strictEqual((yield* as("otto", "GET", `/chains/${tenant}/import`)).status, 200)

      const lowered = yield* operate("POST", `${path}/settings`, { body: { payouts_enabled: false } })
      assert.strictEqual(lowered.status, 200)
      assert.isFalse(lowered.body.settings.payouts_enabled)
      const suspended = yield* operate("POST", `${path}/suspend`)
      assert.deepStrictEqual([suspended.status, suspended.body.status], [200, "SUSPENDED"])

      const left = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
      const proposals = left.body.proposals as ReadonlyArray<Answer["body"]>
      const policies = proposals.filter(({ kind, state: is }) => kind === "policy" && is === "OPEN")
      assert.lengthOf(policies, 1)
      for (const body of policies) assert.strictEqual((yield* approve({ ...left, body }, ann)).body.state, "GRANTED")
      assert.deepStrictEqual((yield* operate("GET", "/operator/v1/tenants")).body.unreadable, [])
    })
  )

  it.effect("has its limits shown, and is named wherever it is shown", () =>
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const { state } = yield* setUp
      const tenant = yield* seeder.tenant()
      const path = `/operator/v1/tenants/${tenant}`
      assert.notProperty((yield* operate("GET", path)).body, "problem")
      const odds: ReadonlyArray<object> = [
        { payoutLimitUsd: 7 },
        { payoutLimitUsd: "abc" },
        { payoutLimitUsd: "-1" },
        { payoutDailyLimitUsd: {} },
        { withdrawalLimitUsd: null },
        { withdrawalWindowHours: "x" },
        { payoutsEnabled: "no" },
        { creditOrigins: ["MOON"] },
        { withdrawalReviewUsd: "-1" }
      ]
      for (const odd of odds) {
        writeInto(state, tenant, { ...defaultPolicy, ...odd })
        const [name = ""] = Object.keys(odd)
        assert.strictEqual((yield* operate("GET", `${path}/limits`)).status, 200, name)
        for (const shown of [yield* operate("GET", path), yield* operate("POST", `${path}/suspend`)])
          assert.include(String(shown.body.problem), name)
      }
    })
  )
})
