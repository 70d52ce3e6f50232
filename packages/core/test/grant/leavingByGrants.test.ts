import { ungranted } from "@bursar/core/grant/leavingByGrants"
import type { View } from "@bursar/core/engine/View"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { newOperation } from "@bursar/core/operation/newOperation"
import { defaultPolicy, type Tenant, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { world } from "./chain.ts"

const tenantWith = (policy: Readonly<Record<string, unknown>>): Tenant => ({
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "LIVE",
  status: "ACTIVE",
  // what a row holds was checked by nobody
  policy: { ...defaultPolicy, ...policy } as TenantPolicy,
  createdAt: proposedAt
})

const payout = (tenant: Tenant) => ({
  tenant,
  now: proposedAt,
  operation: newOperation(
    // all of a view that a new operation takes
    { now: proposedAt, newId: () => crypto.randomUUID(), tenant } as unknown as View,
    { kind: "CHAIN_PAYOUT", status: "ACCEPTED", amount: { units: 1n, currency: "USDC_ETH" }, network: "ethereum" }
  )
})

describe("what may leave by grants", () => {
  it.effect(
    "nothing does while the row of the tenant's settings says more than was granted, or what no policy can say",
    () =>
      Effect.gen(function* () {
        const all = yield* world()
        yield* all.grant("policy", policyValues(defaultPolicy), [all.ann, all.bob])
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
})
