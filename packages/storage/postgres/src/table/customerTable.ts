import { Customer } from "@bursar/core/customer/Customer"
import * as Cell from "../internal/cells.ts"
import { bool, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The end users of tenants, without a word of who they are. */
export const customerTable: RecordTable<Customer> = {
  name: "customer",
  key: ["customer_id"],
  keyType: uuid,
  columns: [
    column("customer_id", uuid, ({ id }) => id),
    column(groupColumn, text, Customer.group),
    column("external_id", text, ({ externalId }) => externalId),
    column("is_business", bool, ({ isBusiness }) => isBusiness),
    column("display_name", text, ({ displayName }) => displayName),
    column("country", text, ({ country }) => country),
    column("verification", json, ({ verification }) => verification),
    column("registration", json, ({ registration }) => registration),
    column("created_at", timestamptz, ({ createdAt }) => createdAt)
  ],
  read: (row) => ({
    id: Cell.text(row.customer_id),
    externalId: Cell.text(row.external_id),
    isBusiness: Cell.flag(row.is_business),
    displayName: Cell.textOrNull(row.display_name),
    country: Cell.textOrNull(row.country),
    verification: Cell.json(row.verification),
    registration: Cell.json(row.registration),
    createdAt: Cell.at(row.created_at)
  })
}
