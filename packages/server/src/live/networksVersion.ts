import type { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import type { NetworkStatus } from "@bursar/core/store/WatchState"
import { createHash } from "node:crypto"

/** Stands for how networks are read and switched. That they were looked at once more changes nothing. */
export const networksVersion = (
  statuses: ReadonlyArray<NetworkStatus>,
  switches: ReadonlyArray<NetworkSwitch>
): string => {
  const said = [
    statuses.map(({ cursor, latest, network, notice, problem }) => [network, cursor?.number, latest, notice, problem]),
    switches.map(({ changedAt, network, payoutsOff }) => [network, payoutsOff, changedAt])
  ]
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16)
}
