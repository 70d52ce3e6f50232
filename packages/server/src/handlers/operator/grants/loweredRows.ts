import { Destination } from "@bursar/core/destination/Destination"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantKind } from "@bursar/core/grant/GrantDocument"
import type { LowerableRows } from "@bursar/core/grant/overruled"
import type { Lowered } from "@bursar/core/granting/lowered"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"

/** What operators lower without a grant. */
export const lowerableKinds: ReadonlySet<GrantKind> = new Set<GrantKind>([
  "network",
  "suspension",
  "policy",
  "api_key",
  "signing_key",
  "destination"
])

/** What operators may have lowered by the rows of a chain: the networks that are stopped, or the policy of a tenant and its suspension. */
export const loweredIn = ({ switches, tenant }: LowerableRows): ReadonlyArray<Lowered> => {
  const stopped = switches.flatMap(({ changedBy, network, payoutsOff }): ReadonlyArray<Lowered> =>
    payoutsOff ? [{ _tag: "Stopped", network, reason: `Stopped by ${changedBy}.` }] : []
  )
  if (tenant === undefined) return stopped
  const suspended: Lowered = { _tag: "Suspended", reason: "Suspended by an operator." }
  return [
    ...stopped,
    ...(tenant.status === "SUSPENDED" ? [suspended] : []),
    // also where some of its row is of another form: the rest may be lowered
    { _tag: "PolicyLowered", tenant }
  ]
}

/** The keys of a tenant that are revoked by their rows, and its destinations that are rejected. */
export const endedOf = (
  { queries, tenants }: { readonly queries: Queries["Service"]; readonly tenants: Tenants["Service"] },
  id: TenantId
): Effect.Effect<ReadonlyArray<Lowered>, StorageError> =>
  Effect.gen(function* () {
    const apiKeys = (yield* tenants.keys(id)).filter(({ revokedAt }) => revokedAt !== null)
    const signingKeys = (yield* tenants.signingKeys(id)).filter(({ revokedAt }) => revokedAt !== null)
    const destinations = (yield* queries.records(id, Destination)).filter(({ rejectedAt }) => rejectedAt !== null)
    const ended: ReadonlyArray<Lowered> = [
      { _tag: "KeysRevoked", keys: signingKeys },
      ...apiKeys.map((key) => ({ _tag: "ApiKeyRevoked", id: key.id }) as const),
      ...destinations.map((one) => ({ _tag: "DestinationRejected", id: one.id }) as const)
    ]
    return ended
  })
