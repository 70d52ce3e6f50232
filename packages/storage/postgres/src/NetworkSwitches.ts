import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

/** What operators have switched. */
export const layer = Layer.effect(
  NetworkSwitches,
  Effect.map(Connection, ({ sql }) =>
    NetworkSwitches.of({
      all: sql<Row>`select * from network_switch order by network`.pipe(
        Effect.map((rows) =>
          rows.map((row) => ({
            network: Cell.text(row.network),
            payoutsOff: Cell.flag(row.payouts_off),
            reason: Cell.textOrNull(row.reason),
            changedBy: Cell.text(row.changed_by),
            changedAt: Cell.at(row.changed_at)
          }))
        ),
        attempt("read what is switched off")
      ),
      set: ({ changedAt, changedBy, network, payoutsOff, reason }) =>
        sql`insert into network_switch (network, payouts_off, reason, changed_by, changed_at)
            values (${network}, ${payoutsOff}, ${reason}, ${changedBy}, ${new Date(changedAt)})
            on conflict (network) do update set payouts_off = excluded.payouts_off, reason = excluded.reason,
              changed_by = excluded.changed_by, changed_at = excluded.changed_at`.pipe(
          Effect.asVoid,
          attempt("switch a network")
        )
    })
  )
)
