import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import * as Cell from "../internal/cells.ts"
import { bool, int8, json, numeric, text, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Confirmed deposits on addresses whose keys the service holds, as sweeps see them. */
export const sweepableDepositTable: RecordTable<SweepableDeposit> = {
  name: "sweepable_deposit",
  key: ["sweepable_deposit_key"],
  keyType: text,
  columns: [
    column("sweepable_deposit_key", text, SweepableDeposit.key),
    column(groupColumn, text, SweepableDeposit.group),
    column("deposit_id", uuid, ({ depositId }) => depositId),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("transfer_index", int8, ({ transferIndex }) => transferIndex),
    column("address_id", uuid, ({ addressId }) => addressId),
    column("address", text, ({ address }) => address),
    column("currency", text, ({ currency }) => currency),
    column("contract", text, ({ contract }) => contract),
    column("units", numeric, ({ units }) => units.toString()),
    column("address_key", json, ({ key }) => key),
    column("gone", bool, ({ gone }) => gone),
    column("sweep_id", uuid, ({ sweepId }) => sweepId),
    column("booked_by", uuid, ({ bookedBy }) => bookedBy),
    column("unbacked", numeric, ({ unbacked }) => unbacked.toString())
  ],
  read: (row) => ({
    depositId: Cell.text(row.deposit_id),
    network: Cell.text(row.network),
    txHash: Cell.text(row.tx_hash),
    transferIndex: Cell.int(row.transfer_index),
    addressId: Cell.text(row.address_id),
    address: Cell.text(row.address),
    currency: Cell.text(row.currency),
    contract: Cell.textOrNull(row.contract),
    units: Cell.units(row.units),
    key: Cell.json(row.address_key),
    gone: Cell.flag(row.gone),
    sweepId: Cell.textOrNull(row.sweep_id),
    bookedBy: Cell.textOrNull(row.booked_by),
    unbacked: Cell.units(row.unbacked)
  })
}
