import { ungranted } from "@bursar/core/grant/leavingByGrants"
import { inGrantedEnvironment } from "@bursar/core/grant/environmentByGrants"
import type { Command } from "@bursar/core/engine/Command"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import type { View } from "@bursar/core/engine/View"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { newOperation } from "@bursar/core/operation/newOperation"
import { defaultPolicy, type Tenant, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { world } from "./chain.ts"

const tenantWith = (policy: Readonly<Record<string, unknown>>, kind: Tenant["kind"] = "LIVE"): Tenant => ({
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind,
  status: "ACTIVE",
  // what a row holds was checked by nobody
  policy: { ...defaultPolicy, ...policy } as TenantPolicy,
  createdAt: proposedAt
})

const payout = (tenant: Tenant, kind: OperationKind = "CHAIN_PAYOUT") => ({
  tenant,
  now: proposedAt,
  operation: newOperation(
    // all of a view that a new operation takes
    { now: proposedAt, newId: () => crypto.randomUUID(), tenant } as unknown as View,
    { kind, status: "ACCEPTED", amount: { units: 1n, currency: "USDC_ETH" }, network: "ethereum" }
  )
})

describe("what may leave by grants", () => {
  it.effect("nothing does while the tenant's row is of another environment than was granted, or none was", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const objection = (kind: Tenant["kind"]) => String(ungranted(all.chain(), payout(tenantWith({}, kind))))
      const { environment: _, ...early } = policyValues({ kind: "SANDBOX", policy: defaultPolicy })
      yield* all.grant("policy", early, two)
      assert.match(objection("SANDBOX"), /does not say the tenant's environment/u)
      yield* all.grant("policy", { ...early, environment: "SANDBOX" }, two)
      assert.strictEqual(objection("SANDBOX"), "undefined")
      assert.match(objection("LIVE"), /LIVE in its row, and SANDBOX by its grants/u)
      // a bank is asked for what comes in as well
      const incoming = (kind: Tenant["kind"]) => ungranted(all.chain(), payout(tenantWith({}, kind), "ON_RAMP"))
      assert.isUndefined(incoming("SANDBOX"))
      assert.match(String(incoming("LIVE")), /SANDBOX by its grants/u)
      const seen: Command<string> = {
        name: "Seen",
        reads: [],
        decide: ({ tenant }) => Result.succeed({ changes: [], reply: `${tenant.kind} ${tenant.slug}` })
      }
      // all of a view that it looks at
      const decide = (command: Command<string>) =>
        Result.getOrThrow(command.decide({ tenant: tenantWith({}, "LIVE") } as unknown as View)).reply
      assert.strictEqual(decide(inGrantedEnvironment(all.chain(), seen)), "SANDBOX acme")
      assert.strictEqual(decide(inGrantedEnvironment(undefined, seen)), "LIVE acme")
    })
  )

  it.effect(
    "nothing does while the row of the tenant's settings says more than was granted, or what no policy can say",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [all.ann, all.bob])
        const objection = (policy: Readonly<Record<string, unknown>>) =>
          ungranted(all.chain(), payout(tenantWith(policy)))
        assert.isUndefined(objection({}))
        assert.isUndefined(objection({ payoutLimitUsd: "1" }))
        for (const policy of [
          { payoutLimitUsd: null },
          { payoutLimitUsd: "" },
          { payoutLimitUsd: "-1" },
          { payoutLimitUsd: "0x10" },
          { payoutLimitUsd: "1e30" },
          { payoutLimitUsd: 7 },
          { payoutsOffOn: null },
          { payoutMinimums: { USDC_ETH: "many" } },
          { withdrawalWindowHours: "soon" }
        ])
          assert.isDefined(objection(policy), JSON.stringify(policy))
      })
  )

  it.effect(
    "nothing does from the place of a provider that one person has stopped, until the quorum lets it go on",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        yield* all.grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [all.ann, all.bob])
        const tenant = tenantWith({})
        const { now, operation } = payout(tenant)
        const through = (kind: "BANK_TRANSFER" | "OFF_RAMP" | "SWAP", provider: string) =>
          ungranted(all.chain(), { now, tenant, operation: { ...operation, kind, network: null, provider } })
        const stop = { network: "bank:bridge", stopped: true, reason: "It was booked twice." }
        yield* all.grant("network", stop, [all.cleo])
        for (const kind of ["BANK_TRANSFER", "OFF_RAMP"] as const)
          assert.strictEqual(through(kind, "bridge"), "bank:bridge is stopped by a grant")
        // another provider, and another place of one of that name
        assert.isUndefined(through("BANK_TRANSFER", "other"))
        assert.isUndefined(through("SWAP", "bridge"))
        const resume = { ...stop, stopped: false, reason: "" }
        assert.strictEqual((yield* Effect.exit(all.grant("network", resume, [all.cleo])))._tag, "Failure")
        yield* all.grant("network", resume, [all.ann, all.bob])
        assert.isUndefined(through("BANK_TRANSFER", "bridge"))
      })
  )
})
