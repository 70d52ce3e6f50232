import { AssetReservation, reservationKey } from "@bursar/core/operation/AssetReservation"
import * as Cell from "../internal/cells.ts"
import { numeric, text } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"
import { account } from "./legTable.ts"

/** What operations in flight will take from each place. */
export const assetReservationTable: RecordTable<AssetReservation> = {
  name: "asset_reservation",
  key: ["reservation_key"],
  keyType: text,
  columns: [
    column("reservation_key", text, reservationKey),
    column(groupColumn, text, AssetReservation.group),
    column("account", text, (one) => one.account),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString())
  ],
  read: (row) => ({
    account: account(row.account),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units)
  })
}
