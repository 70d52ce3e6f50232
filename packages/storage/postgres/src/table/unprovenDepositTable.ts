import { UnprovenDeposit } from "@bursar/core/deposit/UnprovenDeposit"
import * as Cell from "../internal/cells.ts"
import { bool, int8, text, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Confirmed deposits that are credited once their addresses have been proven. */
export const unprovenDepositTable: RecordTable<UnprovenDeposit> = {
  name: "unproven_deposit",
  key: ["deposit_id"],
  keyType: uuid,
  columns: [
    column("deposit_id", uuid, UnprovenDeposit.key),
    column(groupColumn, text, UnprovenDeposit.group),
    column("subject", text, ({ subject }) => subject),
    column("address_id", uuid, ({ addressId }) => addressId),
    column("address", text, ({ address }) => address),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("transfer_index", int8, ({ transferIndex }) => transferIndex),
    column("currency", text, ({ currency }) => currency),
    column("from_address", text, ({ fromAddress }) => fromAddress),
    column("waits", bool, ({ waits }) => waits)
  ],
  read: (row) => ({
    depositId: Cell.text(row.deposit_id),
    subject: Cell.text(row.subject),
    addressId: Cell.text(row.address_id),
    address: Cell.text(row.address),
    network: Cell.text(row.network),
    txHash: Cell.text(row.tx_hash),
    transferIndex: Cell.int(row.transfer_index),
    currency: Cell.text(row.currency),
    fromAddress: Cell.textOrNull(row.from_address),
    waits: Cell.flag(row.waits)
  })
}
