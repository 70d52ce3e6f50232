import { currentAuthority, type FleetState } from "@bursar/core/grant/GrantState"
import { strangeQuorum } from "@bursar/core/grant/GrantRoot"
import { Effect } from "effect"
import type { KeptGrants } from "./KeptGrants.ts"

/**
 * The same grants, and says of a quorum among the approvers of now that its name is no kind of grant: the kind that is meant takes fewer people. It is said
 * once. The root that has it can never change, so nothing stops.
 */
export const tellingQuorums = (grants: KeptGrants): KeptGrants => {
  const told = new Set<string>()
  const tell = (fleet: FleetState) => {
    const { set } = currentAuthority(fleet)
    const kind = strangeQuorum(set)
    if (kind === undefined || told.has(kind)) return Effect.void
    told.add(kind)
    return Effect.annotateLogs(Effect.logError("signer.quorum_of_nothing"), { kind, people: set.quorums[kind] })
  }
  return { ...grants, fleet: Effect.tap(grants.fleet, tell) }
}
