import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import { networkSwitchTable } from "./table/networkSwitchTable.ts"

/** What operators have switched. */
export const layer = Layer.effect(
  NetworkSwitches,
  Effect.map(Connection, ({ sql }) =>
    NetworkSwitches.of({
      all: sql<Row>`select * from network_switch order by network`.pipe(
        Effect.map((rows) => rows.map(networkSwitchTable.read)),
        attempt("read what is switched off")
      )
    })
  )
)
