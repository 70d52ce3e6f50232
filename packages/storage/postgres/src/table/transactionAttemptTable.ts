import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import * as Cell from "../internal/cells.ts"
import { json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The transactions that were signed, byte for byte: their bytes stand in base64. */
export const transactionAttemptTable: RecordTable<TransactionAttempt> = {
  name: "transaction_attempt",
  key: ["attempt_key"],
  keyType: text,
  columns: [
    column("attempt_key", text, TransactionAttempt.key),
    column(groupColumn, text, TransactionAttempt.group),
    column("network", text, ({ network }) => network),
    column("hash", text, ({ hash }) => hash),
    column("transaction_id", uuid, ({ transactionId }) => transactionId),
    column("raw", text, ({ raw }) => Buffer.from(raw).toString("base64")),
    column("valid_until", timestamptz, ({ validUntil }) => validUntil),
    column("replaces", text, ({ replaces }) => replaces),
    column("pays", json, ({ pays }) => pays),
    column("fee_max", numeric, ({ feeMax }) => feeMax.toString()),
    column("signed_at", timestamptz, ({ signedAt }) => signedAt),
    column("sent_at", timestamptz, ({ sentAt }) => sentAt)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    hash: Cell.text(row.hash),
    transactionId: Cell.text(row.transaction_id),
    raw: Uint8Array.from(Buffer.from(Cell.text(row.raw), "base64")),
    validUntil: Cell.atOrNull(row.valid_until),
    replaces: Cell.textOrNull(row.replaces),
    pays: Cell.texts(row.pays),
    feeMax: Cell.units(row.fee_max),
    signedAt: Cell.at(row.signed_at),
    sentAt: Cell.atOrNull(row.sent_at)
  })
}
