import type { BlockPoint, Deposit, DepositIdentity } from "@bursar/core/deposit/Deposit"
import { depositStatuses } from "@bursar/core/deposit/DepositMachine"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { bool, int8, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type RecordTable } from "../internal/Table.ts"

const block = (number: unknown, hash: unknown, time: unknown): BlockPoint | null =>
  number === null ? null : { number: Cell.int(number), hash: Cell.text(hash), time: Cell.at(time) }

/** Arrivals. */
export const depositTable: RecordTable<Deposit, DepositIdentity> = {
  name: "deposit",
  key: ["deposit_id"],
  keyColumns: [
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("transfer_index", int8, ({ transferIndex }) => transferIndex)
  ],
  // along the index of a reference's deposits: no index of its own that every deposit would pay for
  groups: `from address a
    join deposit t on t.tenant_id = a.tenant_id and t.reference = a.reference and t.address_id = a.address_id
    where a.tenant_id = $1 and a.address = any($2::text[])`,
  columns: [
    column("deposit_id", uuid, ({ id }) => id),
    column("address_id", uuid, ({ addressId }) => addressId),
    column("address", text, ({ address }) => address),
    column("reference", text, ({ reference }) => reference),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("transfer_index", int8, ({ transferIndex }) => transferIndex),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    column("from_address", text, ({ fromAddress }) => fromAddress),
    bigintColumn("block_number", int8, (deposit) => deposit.block?.number ?? null),
    column("block_hash", text, (deposit) => deposit.block?.hash ?? null),
    column("block_time", timestamptz, (deposit) => deposit.block?.time ?? null),
    bigintColumn("confirmations", int8, ({ confirmations }) => confirmations),
    bigintColumn("required_confirmations", int8, ({ requiredConfirmations }) => requiredConfirmations),
    column("status", text, ({ status }) => status),
    column("historical", bool, ({ historical }) => historical),
    column("detected_at", timestamptz, ({ detectedAt }) => detectedAt),
    column("confirmed_at", timestamptz, ({ confirmedAt }) => confirmedAt),
    column("reorged_at", timestamptz, ({ reorgedAt }) => reorgedAt),
    bigintColumn("change_seq", int8, ({ changeSeq }) => changeSeq),
    column("credited_by", uuid, ({ creditedBy }) => creditedBy),
    column("own_units", numeric, ({ ownUnits }) => ownUnits.toString())
  ],
  read: (row) => ({
    id: Cell.text(row.deposit_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    addressId: Cell.text(row.address_id),
    address: Cell.text(row.address),
    reference: Cell.text(row.reference),
    network: Cell.text(row.network),
    txHash: Cell.text(row.tx_hash),
    transferIndex: Cell.int(row.transfer_index),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    fromAddress: Cell.textOrNull(row.from_address),
    block: block(row.block_number, row.block_hash, row.block_time),
    confirmations: Cell.int(row.confirmations),
    requiredConfirmations: Cell.int(row.required_confirmations),
    status: Cell.oneOf(depositStatuses, row.status),
    historical: Cell.flag(row.historical),
    detectedAt: Cell.at(row.detected_at),
    confirmedAt: Cell.atOrNull(row.confirmed_at),
    reorgedAt: Cell.atOrNull(row.reorged_at),
    changeSeq: Cell.int(row.change_seq),
    creditedBy: Cell.textOrNull(row.credited_by),
    ownUnits: Cell.units(row.own_units)
  })
}
