import type { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import * as Cell from "../internal/cells.ts"
import { bool, text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** What is switched for everybody, by network. */
export const networkSwitchTable: RecordTable<NetworkSwitch> = {
  name: "network_switch",
  key: ["network"],
  keyType: text,
  columns: [
    column("network", text, ({ network }) => network),
    column("payouts_off", bool, ({ payoutsOff }) => payoutsOff),
    column("reason", text, ({ reason }) => reason),
    column("changed_by", text, ({ changedBy }) => changedBy),
    column("changed_at", timestamptz, ({ changedAt }) => changedAt)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    payoutsOff: Cell.flag(row.payouts_off),
    reason: Cell.textOrNull(row.reason),
    changedBy: Cell.text(row.changed_by),
    changedAt: Cell.at(row.changed_at)
  })
}
