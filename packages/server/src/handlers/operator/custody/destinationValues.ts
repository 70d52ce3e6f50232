import { toIso } from "@bursar/core/base/Timestamp"
import { Destination } from "@bursar/core/destination/Destination"
import type { DestinationProposal } from "@bursar/core/destination/destinationCommands"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { Queries } from "@bursar/core/store/Queries"
import { coolingHours, type Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"

const hourMs = 3_600_000

/** A grant may not name a moment before it is proposed: that is done within this time. */
const proposingMs = 60_000

/** A destination as a grant says it, that receives as soon as the tenant's waiting time and the destinations before allow. */
export const destinationValues = (
  tenant: Tenant,
  { address, currency, id, label, memo, network }: Omit<DestinationProposal, "by"> & { readonly id: string }
): Effect.Effect<GrantValues<"destination">, StorageError, Queries> =>
  Effect.gen(function* () {
    const queries = yield* Queries
    const now = yield* Clock.currentTimeMillis
    // also of those that were rejected: by its grant, one takes the place of those before at its moment all the same
    const others = (yield* queries.records(tenant.id, Destination)).filter((one) => one.currency === currency)
    const earliest = now + proposingMs + coolingHours(tenant.policy) * hourMs
    const usableFrom = Math.max(earliest, ...others.map((one) => (one.usableFrom ?? 0) + 1))
    return { id, currency, network, address, memo, label, usable_from: toIso(usableFrom), state: "ACTIVE" }
  })
