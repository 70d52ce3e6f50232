import { Sweep } from "@bursar/core/sweep/Sweep"
import { sweepStates } from "@bursar/core/sweep/SweepMachine"
import * as Cell from "../internal/cells.ts"
import { json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Moves of what arrived on addresses to payout wallets. */
export const sweepTable: RecordTable<Sweep> = {
  name: "sweep",
  key: ["sweep_id"],
  keyType: uuid,
  columns: [
    column("sweep_id", uuid, ({ id }) => id),
    column(groupColumn, text, Sweep.group),
    column("network", text, ({ network }) => network),
    column("address_id", uuid, ({ addressId }) => addressId),
    column("address", text, ({ address }) => address),
    column("account", text, ({ account }) => account),
    column("address_key", json, ({ key }) => key),
    column("currency", text, ({ currency }) => currency),
    column("contract", text, ({ contract }) => contract),
    column("units", numeric, ({ units }) => units.toString()),
    column("state", text, ({ state }) => state),
    column("top_up_transaction_id", uuid, ({ topUpTransactionId }) => topUpTransactionId),
    column("sweep_transaction_id", uuid, ({ sweepTransactionId }) => sweepTransactionId),
    column("deposits", json, ({ deposits }) => deposits),
    column("problem", text, ({ problem }) => problem),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("ended_at", timestamptz, ({ endedAt }) => endedAt),
    column("closed_at", timestamptz, ({ closedAt }) => closedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.sweep_id),
    network: Cell.text(row.network),
    addressId: Cell.text(row.address_id),
    address: Cell.text(row.address),
    account: Cell.text(row.account),
    key: Cell.json(row.address_key),
    currency: Cell.text(row.currency),
    contract: Cell.textOrNull(row.contract),
    units: Cell.units(row.units),
    state: Cell.oneOf(sweepStates, row.state),
    topUpTransactionId: Cell.textOrNull(row.top_up_transaction_id),
    sweepTransactionId: Cell.textOrNull(row.sweep_transaction_id),
    deposits: Cell.json(row.deposits),
    problem: Cell.textOrNull(row.problem),
    createdAt: Cell.at(row.created_at),
    endedAt: Cell.atOrNull(row.ended_at),
    closedAt: Cell.atOrNull(row.closed_at)
  })
}
