import { FloatAdjustment, waitingAdjustments } from "@bursar/core/adjustment/FloatAdjustment"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { GrantProposal, openProposals } from "@bursar/core/grant/Grant"
import { isSuspense } from "@bursar/core/ledger/Account"
import { Resolution } from "@bursar/core/resolution/Resolution"
import { type TenantWaiting, Waiting } from "@bursar/core/store/Waiting"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { recordsOf, Store, type TenantRecords } from "./Store.ts"

const isFailing = ({ deliveries }: TenantRecords, { enabled, id }: WebhookEndpoint): boolean => {
  const progress = deliveries.get(id)
  if (!enabled || progress === undefined || progress.failingSince === null) return false
  return [...progress.due.values()].some(({ attempt }) => attempt > 1)
}

const waitingOf = (tenant: TenantRecords, now: Timestamp, most: number): TenantWaiting => {
  const counted = <A>(all: Iterable<A>, waits: (one: A) => boolean): number =>
    Math.min(most, [...all].filter(waits).length)
  const endpoints = [...recordsOf(tenant, WebhookEndpoint).values()]
  const { id, slug } = tenant.head.tenant
  return {
    tenantId: id,
    slug,
    adjustments: counted(
      recordsOf(tenant, FloatAdjustment).values(),
      (one) => FloatAdjustment.group(one) === waitingAdjustments
    ),
    resolutions: counted(recordsOf(tenant, Resolution).values(), ({ state }) => state === "PROPOSED"),
    proposals: counted(
      recordsOf(tenant, GrantProposal).values(),
      (one) => GrantProposal.group(one) === openProposals && one.expiresAt > now
    ),
    endpointsOff: counted(endpoints, ({ enabled }) => !enabled),
    endpointsFailing: counted(endpoints, (one) => isFailing(tenant, one)),
    suspense: counted(tenant.balances.values(), ({ account, units }) => isSuspense(account) && units !== 0n)
  }
}

const isAny = ({
  adjustments,
  endpointsFailing,
  endpointsOff,
  proposals,
  resolutions,
  suspense
}: TenantWaiting): boolean => adjustments + resolutions + proposals + endpointsOff + endpointsFailing + suspense > 0

/** What waits for an operator, in memory. */
export const layer = Layer.effect(
  Waiting,
  Effect.map(Store, ({ tenants }) =>
    Waiting.of({
      all: (now, most) =>
        Effect.sync(() =>
          [...tenants.values()]
            .map((tenant) => waitingOf(tenant, now, most))
            .filter(isAny)
            .toSorted((one, other) => compareText(one.slug, other.slug))
        )
    })
  )
)
