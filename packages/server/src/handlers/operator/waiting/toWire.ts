import type { OperatorWaiting, TenantWaiting as TenantWaitingOnWire } from "@bursar/api/operator/OperatorWaiting"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { TenantWaiting } from "@bursar/core/store/Waiting"

const ofTenant = ({ slug, tenantId, ...counts }: TenantWaiting): TenantWaitingOnWire => ({
  tenant_id: tenantId,
  slug,
  grants: counts.proposals,
  adjustments: counts.adjustments,
  resolutions: counts.resolutions,
  endpoints_off: counts.endpointsOff,
  endpoints_failing: counts.endpointsFailing,
  suspense: counts.suspense
})

const isAny = ({ slug: _slug, tenant_id: _id, ...counts }: TenantWaitingOnWire): boolean =>
  Object.values(counts).some((count) => count > 0)

/** What waits, of the tenants of which something does. The chain of the service itself is no tenant's. */
export const toWire = (all: ReadonlyArray<TenantWaiting>): OperatorWaiting => ({
  fleet_grants: all.find(({ tenantId }) => tenantId === fleetTenantId)?.proposals ?? 0,
  tenants: all
    .filter(({ tenantId }) => tenantId !== fleetTenantId)
    .map(ofTenant)
    .filter(isAny)
})
