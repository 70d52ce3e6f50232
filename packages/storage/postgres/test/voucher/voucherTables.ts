import { bigintColumn, Cell, column, ColumnType, mapRecord, type RecordTable } from "@bursar/postgres"
import { ClosedBook, type UseKey, Voucher, VoucherUse } from "./Voucher.ts"

const { int8, numeric, text, timestamptz } = ColumnType

/** What a migration of the feature would do. */
export const voucherMigration = [
  `create table voucher (
    tenant_id uuid not null, code text not null, record_group text, book text not null, cents numeric not null,
    used_at timestamptz, primary key (tenant_id, code))`,
  "create table voucher_directory (code text primary key, tenant_id uuid not null)",
  `create table voucher_use (
    tenant_id uuid not null, code text not null, turn int8 not null, forget_at timestamptz not null,
    primary key (tenant_id, code, turn))`,
  "create table closed_book (tenant_id uuid not null, book text not null, primary key (tenant_id, book))"
]

const voucherTable: RecordTable<Voucher> = {
  name: "voucher",
  key: ["code"],
  keyType: text,
  unique: { table: "voucher_directory", column: "code" },
  columns: [
    column("code", text, ({ code }) => code),
    column("record_group", text, Voucher.group),
    column("book", text, ({ book }) => book),
    column("cents", numeric, ({ cents }) => cents.toString()),
    column("used_at", timestamptz, ({ usedAt }) => usedAt)
  ],
  read: (row) => ({
    code: Cell.text(row.code),
    book: Cell.text(row.book),
    cents: Cell.units(row.cents),
    usedAt: Cell.atOrNull(row.used_at)
  })
}

const voucherUseTable: RecordTable<VoucherUse, UseKey> = {
  name: "voucher_use",
  key: ["code", "turn"],
  keyColumns: [column("code", text, ({ code }) => code), bigintColumn("turn", int8, ({ turn }) => turn)],
  expiry: "forget_at",
  columns: [
    column("code", text, ({ code }) => code),
    bigintColumn("turn", int8, ({ turn }) => turn),
    column("forget_at", timestamptz, ({ forgetAt }) => forgetAt)
  ],
  read: (row) => ({ code: Cell.text(row.code), turn: Cell.int(row.turn), forgetAt: Cell.at(row.forget_at) })
}

const closedBookTable: RecordTable<ClosedBook> = {
  name: "closed_book",
  key: ["book"],
  keyType: text,
  columns: [column("book", text, ({ book }) => book)],
  read: (row) => ({ book: Cell.text(row["book"]) })
}

/** The feature's kinds with their tables. */
export const voucherRecords = [
  mapRecord(Voucher, voucherTable),
  mapRecord(VoucherUse, voucherUseTable),
  mapRecord(ClosedBook, closedBookTable)
]
