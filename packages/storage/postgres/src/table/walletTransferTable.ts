import { walletTransferPlaces, WalletTransfer, walletTransferStatuses } from "@bursar/core/deposit/WalletTransfer"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { int8, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"
import { memoOf } from "./memoOf.ts"

/** What came to wallets. */
export const walletTransferTable: RecordTable<WalletTransfer> = {
  name: "wallet_transfer",
  key: ["transfer_key"],
  keyType: text,
  columns: [
    column("transfer_key", text, WalletTransfer.key),
    column(groupColumn, text, WalletTransfer.group),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("transfer_index", int8, ({ transferIndex }) => transferIndex),
    column("wallet_id", uuid, ({ walletId }) => walletId),
    column("place", text, ({ place }) => place),
    column("address", text, ({ address }) => address),
    column("paid_to", text, ({ paidTo }) => paidTo),
    column("memo", json, ({ memo }) => memo),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    column("from_address", text, ({ fromAddress }) => fromAddress),
    bigintColumn("block_number", int8, ({ block }) => block.number),
    column("block_hash", text, ({ block }) => block.hash),
    column("block_time", timestamptz, ({ block }) => block.time),
    column("status", text, ({ status }) => status),
    column("booked_by", uuid, ({ bookedBy }) => bookedBy),
    column("own_units", numeric, ({ ownUnits }) => ownUnits.toString()),
    column("detected_at", timestamptz, ({ detectedAt }) => detectedAt)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    txHash: Cell.text(row.tx_hash),
    transferIndex: Cell.int(row.transfer_index),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    walletId: Cell.text(row.wallet_id),
    place: Cell.oneOf(walletTransferPlaces, row.place),
    address: Cell.text(row.address),
    paidTo: Cell.text(row.paid_to),
    memo: memoOf(row.memo),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    fromAddress: Cell.textOrNull(row.from_address),
    block: { number: Cell.int(row.block_number), hash: Cell.text(row.block_hash), time: Cell.at(row.block_time) },
    status: Cell.oneOf(walletTransferStatuses, row.status),
    bookedBy: Cell.textOrNull(row.booked_by),
    ownUnits: Cell.units(row.own_units),
    detectedAt: Cell.at(row.detected_at)
  })
}
