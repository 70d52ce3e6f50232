import { type NetworkSwitch, NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { sharedRead } from "./internal/batched.ts"
import type { Row } from "./internal/cells.ts"
import { networkSwitchTable } from "./table/networkSwitchTable.ts"

/** What operators have switched: payouts that are asked for at the same moment share a look at it, which begins after they asked. */
export const layer = Layer.effect(
  NetworkSwitches,
  Effect.map(Connection, ({ sql }) => {
    const switches = sharedRead<ReadonlyArray<NetworkSwitch>>({
      doing: "read what is switched off",
      none: [],
      read: () =>
        Effect.map(sql<Row>`select * from network_switch order by network`, (rows) => rows.map(networkSwitchTable.read))
    })
    return NetworkSwitches.of({ all: switches(fleetTenantId) })
  })
)
