import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { Network } from "@bursar/core/money/Network"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { recordsOf, type State } from "./Store.ts"

/** What is switched for everybody, by network. */
export const switchesOf = ({ tenants }: State): ReadonlyMap<Network, NetworkSwitch> => {
  const fleet = tenants.get(fleetTenantId)
  return fleet === undefined ? new Map() : recordsOf(fleet, NetworkSwitch)
}
