import type { Account } from "@bursar/core/ledger/Account"
import { legPurposes, type PostedLeg } from "@bursar/core/ledger/Leg"
import * as Cell from "../internal/cells.ts"
import { int4, int8, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type Table } from "../internal/Table.ts"

/** Accounts are written by our own deciders alone, so what is read is one. */
export const account = (cell: unknown): Account => Cell.text(cell) as Account

/** The legs of the books. */
export const legTable: Table<PostedLeg> = {
  name: "ledger_leg",
  key: ["account", "currency", "version"],
  columns: [
    column("account", text, (leg) => leg.account),
    column("currency", text, ({ currency }) => currency),
    bigintColumn("version", int8, ({ version }) => version),
    column("operation_id", uuid, ({ operationId }) => operationId),
    bigintColumn("posting_seq", int8, ({ postingSeq }) => postingSeq),
    column("ordinal", int4, ({ ordinal }) => ordinal),
    column("direction", text, ({ direction }) => direction),
    column("units", numeric, ({ units }) => units.toString()),
    column("what", text, ({ what }) => what),
    column("balance", numeric, ({ balance }) => balance.toString()),
    column("posted_at", timestamptz, ({ postedAt }) => postedAt)
  ],
  read: (row) => ({
    account: account(row.account),
    currency: Cell.text(row.currency),
    direction: Cell.oneOf(["DEBIT", "CREDIT"], row.direction),
    units: Cell.units(row.units),
    what: Cell.oneOf(legPurposes, row.what),
    operationId: Cell.text(row.operation_id),
    postingSeq: Cell.int(row.posting_seq),
    ordinal: Cell.int(row.ordinal),
    balance: Cell.units(row.balance),
    version: Cell.int(row.version),
    postedAt: Cell.at(row.posted_at)
  })
}
