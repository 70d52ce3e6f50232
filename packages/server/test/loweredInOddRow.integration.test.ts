import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy, TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const writeInto = (state: State, id: string, odd: object) => {
  const held = state.tenants.get(TenantId(id)) ?? assert.fail("there is no such tenant")
  const policy: TenantPolicy = { ...held.head.tenant.policy, ...odd }
  held.head = { ...held.head, tenant: { ...held.head.tenant, policy } }
}

layer(layerGranted, { excludeTestServices: true })("what operators have lowered of a tenant", (it) => {
  // what a column of JSON can hold
  const odds: ReadonlyArray<object> = [{}, { payoutMinimums: null }, { slippageBps: "many" }, { ipAllowlist: 7 }]
  for (const odd of odds)
    it.effect(`is proposed again once another grant has come, with ${JSON.stringify(odd)} in its row`, () =>
      Effect.gen(function* () {
        const { operate } = yield* Operator
        const { ann, approve, as, bob, propose, state, tenant } = yield* setUp
        const values = policyValues({ kind: "LIVE", policy: defaultPolicy })
        const first = yield* propose({ kind: "policy", values })
        for (const by of [ann, bob]) yield* approve(first, by)
        const off = { payouts_enabled: false }
        const lowered = yield* operate("POST", `/operator/v1/tenants/${tenant}/settings`, { body: off })
        assert.strictEqual(lowered.status, 200)
        writeInto(state, tenant, odd)
        const other = yield* propose({ kind: "suspension", values: { suspended: true, reason: "A look." } })
        assert.strictEqual((yield* approve(other, ann)).body.state, "GRANTED")
        const { body } = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
        const left = (body.proposals as ReadonlyArray<Answer["body"]>).filter(({ kind }) => kind === "policy")
        const open = left.filter((one) => one.state === "OPEN")
        assert.deepStrictEqual(
          open.map(({ document }) => JSON.parse(document).values),
          [{ ...values, ...off }]
        )
        assert.deepStrictEqual(
          left.flatMap(({ reason, state: is }) => (is === "REJECTED" ? [reason] : [])),
          ["Another grant was appended first. What still holds of it is proposed again."]
        )
      })
    )
})
