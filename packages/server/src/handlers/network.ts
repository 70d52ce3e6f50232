import { Limits } from "@bursar/api/Limits"
import { Refusal } from "@bursar/core/base/Refusal"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Networks } from "@bursar/core/port/Networks"
import { refuseReach } from "@bursar/core/environment/reach"
import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Result } from "effect"

/** The refusal of a network that is none, or is off. It repeats no more than could be the name of one. */
export const unknownNetwork = (name: string): Refusal =>
  new Refusal({
    code: "unknown_network",
    message: `${name.length > Limits.networkLengthMax ? "This" : JSON.stringify(name)} is not an enabled network.`
  })

/** The adapter of a network that is on, for a tenant of its environment. */
export const findNetwork = (
  networks: Networks["Service"],
  kind: TenantKind,
  name: string
): Result.Result<NetworkAdapter, Refusal> => {
  const adapter = networks.get(name)
  if (adapter === undefined) return Result.fail(unknownNetwork(name))
  const foreign = refuseReach({ kind }, adapter.traits)
  return foreign === undefined ? Result.succeed(adapter) : Result.fail(foreign)
}
