import { type GrantKind, fleetKinds, type GrantValues } from "@bursar/core/grant/GrantDocument"
import { Grants } from "@bursar/core/grant/Grants"
import { fleetGenesis, tenantGenesis, verifyFleet, verifyTenant } from "@bursar/core/grant/verifyChain"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { approvedBy, documentOn, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { Effect } from "effect"

/** The chains of a tenant, to which a test adds. */
export const chainsOf = Effect.fnUntraced(function* (tenantId: TenantId) {
  const ann = yield* testApprover("ann", 1)
  const root = testRoot([ann], 1)
  const trust = testTrust(root)
  let fleet = yield* fleetGenesis(root)
  let tenant = yield* tenantGenesis(root, tenantId)
  const grant = Effect.fnUntraced(function* <K extends GrantKind>(kind: K, values: GrantValues<K>) {
    const entry = yield* approvedBy(documentOn({ fleet, tenant }, kind, values), [ann])
    if (fleetKinds.has(kind)) fleet = yield* verifyFleet(trust, [entry], fleet)
    else tenant = yield* verifyTenant(trust, { tenantId, fleet, entries: [entry], known: tenant })
  })
  const grants = Grants.of({
    trust,
    fleet: Effect.sync(() => fleet),
    stateOf: () => Effect.sync(() => ({ fleet, tenant }))
  })
  return { grant, grants }
})
