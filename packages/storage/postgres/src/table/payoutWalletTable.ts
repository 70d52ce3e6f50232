import { type AssetUnits, PayoutWallet, walletRoles } from "@bursar/core/transaction/PayoutWallet"
import * as Cell from "../internal/cells.ts"
import { int8, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

interface StoredUnits {
  readonly contract: string | null
  readonly units: string
}

const stored = ({ contract, units }: AssetUnits): StoredUnits => ({ contract, units: units.toString() })

/** The accounts that are paid from. */
export const payoutWalletTable: RecordTable<PayoutWallet> = {
  name: "payout_wallet",
  key: ["wallet_id"],
  keyType: uuid,
  columns: [
    column("wallet_id", uuid, ({ id }) => id),
    column(groupColumn, text, PayoutWallet.group),
    column("network", text, ({ network }) => network),
    column("role", text, ({ role }) => role),
    column("address", text, ({ address }) => address),
    column("seed_id", uuid, ({ seedId }) => seedId),
    column("custody", text, ({ custodied }) => custodied?.custody ?? null),
    column("custody_key_id", text, ({ custodied }) => custodied?.keyId ?? null),
    bigintColumn("key_index", int8, ({ index }) => index),
    column("next_sequence", numeric, ({ nextSequence }) => nextSequence?.toString() ?? null),
    bigintColumn("next_salt", int8, ({ nextSalt }) => nextSalt),
    bigintColumn("open_transactions", int8, ({ openTransactions }) => openTransactions),
    column("committed", json, ({ committed }) => committed.map(stored)),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.wallet_id),
    network: Cell.text(row.network),
    role: Cell.oneOf(walletRoles, row.role),
    address: Cell.text(row.address),
    seedId: Cell.textOrNull(row.seed_id),
    custodied: row.custody === null ? null : { custody: Cell.text(row.custody), keyId: Cell.text(row.custody_key_id) },
    index: Cell.int(row.key_index),
    nextSequence: row.next_sequence === null ? null : Cell.units(row.next_sequence),
    nextSalt: Cell.int(row.next_salt),
    openTransactions: Cell.int(row.open_transactions),
    committed: Cell.json<ReadonlyArray<StoredUnits>>(row.committed).map(({ contract, units }) => ({
      contract,
      units: BigInt(units)
    })),
    createdAt: Cell.at(row.created_at)
  })
}
