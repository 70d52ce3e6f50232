import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { addEndpoint, disableEndpoint } from "@bursar/core/webhook/endpointCommands"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"

const nothing = {
  grants: 0,
  adjustments: 0,
  resolutions: 0,
  endpoints_off: 0,
  endpoints_failing: 0,
  suspense: 0
}

it.live("whoever may look is told of all tenants together how much of each waits", () =>
  Effect.gen(function* () {
    const { operate, seeder } = yield* Operator
    const [one, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
    yield* seeder.tenant()
    const read = Effect.map(operate("GET", "/operator/v1/waiting"), ({ body }) => body)
    assert.deepStrictEqual(yield* read, { fleet_grants: 0, tenants: [] })
    yield* seeder.submit(
      one,
      adjustFloat({ amount: of(1n, "BTC"), from: "suspense", against: "custodian", reason: "found there" })
    )
    const { id } = yield* seeder.submit(other, addEndpoint({ url: "https://x.test", kinds: null, secret: "sealed" }))
    yield* seeder.submit(other, disableEndpoint(id, "test"))
    const { fleet_grants: ofFleet, tenants } = yield* read
    assert.strictEqual(ofFleet, 0)
    const counted = (id: string) => tenants.find(({ tenant_id: found }: { readonly tenant_id: string }) => found === id)
    assert.strictEqual(tenants.length, 2)
    assert.deepInclude(counted(one), { ...nothing, suspense: 1 })
    assert.deepInclude(counted(other), { ...nothing, endpoints_off: 1 })
  }).pipe(Effect.provide(Operator.layer))
)

it.live("a grant is counted as long as it can be approved: one that another was appended before is not", () =>
  Effect.gen(function* () {
    const { ann, approve, as, bob, propose, tenant } = yield* setUp
    const { operate } = yield* Operator
    const grants = Effect.map(operate("GET", "/operator/v1/waiting"), ({ body }) => [
      body.fleet_grants,
      body.tenants.find(({ tenant_id: id }: { readonly tenant_id: string }) => id === tenant)?.grants ?? 0
    ])
    const policy = yield* propose({ kind: "policy", values: policyValues({ kind: "LIVE", policy: defaultPolicy }) })
    const going = yield* propose({ kind: "suspension", values: { suspended: true, reason: "Asked for." } })
    yield* propose({ kind: "network", values: { network: "tron", stopped: true, reason: "A reorg." } }, "fleet")
    assert.deepStrictEqual(yield* grants, [1, 2])
    yield* approve(policy, ann)
    yield* approve(policy, bob)
    assert.deepStrictEqual(yield* grants, [1, 0])
    const outdated = yield* as("otto", "GET", `/chains/${tenant}/proposals/${going.body.id}`)
    assert.strictEqual(outdated.body.state, "OUTDATED")
    assert.include(outdated.body.outdated_because, "Another grant was appended")
  }).pipe(Effect.provide(layerGranted))
)
