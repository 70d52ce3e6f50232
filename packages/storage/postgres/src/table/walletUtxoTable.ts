import { utxoStates, WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import * as Cell from "../internal/cells.ts"
import { int8, numeric, text, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The outputs that wallets can spend. */
export const walletUtxoTable: RecordTable<WalletUtxo> = {
  name: "wallet_utxo",
  key: ["utxo_key"],
  keyType: text,
  columns: [
    column("utxo_key", text, WalletUtxo.key),
    column(groupColumn, text, WalletUtxo.group),
    column("network", text, ({ network }) => network),
    column("tx_hash", text, ({ txHash }) => txHash),
    bigintColumn("vout", int8, ({ vout }) => vout),
    column("units", numeric, ({ units }) => units.toString()),
    column("address", text, ({ address }) => address),
    column("wallet_id", uuid, ({ walletId }) => walletId),
    column("state", text, ({ state }) => state),
    column("transaction_id", uuid, ({ transactionId }) => transactionId)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    txHash: Cell.text(row.tx_hash),
    vout: Cell.int(row.vout),
    units: Cell.units(row.units),
    address: Cell.text(row.address),
    walletId: Cell.text(row.wallet_id),
    state: Cell.oneOf(utxoStates, row.state),
    transactionId: Cell.textOrNull(row.transaction_id)
  })
}
