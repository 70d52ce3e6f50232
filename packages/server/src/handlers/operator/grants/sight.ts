import type { Grants } from "@bursar/core/grant/Grants"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"
import { findTenant } from "../found.ts"
import { knownChain } from "./chains.ts"
import type { ProposalSight } from "./toWire.ts"

/** Reads what the proposals of a chain are shown by, now. */
export const makeSight = Effect.gen(function* () {
  const tenants = yield* Tenants
  const switching = yield* NetworkSwitches
  return Effect.fnUntraced(function* ({
    chain: id,
    grants
  }: {
    readonly chain: TenantId | null
    readonly grants: Grants["Service"]
  }) {
    const chain = yield* knownChain(grants, id)
    const rows =
      id === null
        ? { switches: yield* orUnavailable(switching.all) }
        : { switches: [], tenant: yield* findTenant(tenants, id) }
    return { chain, rows, now: yield* Clock.currentTimeMillis } satisfies ProposalSight
  })
})
