import { CustomerName } from "@bursar/core/customer/Customer"
import * as Cell from "../internal/cells.ts"
import { text, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The identifiers that tenants have given to their customers. */
export const customerNameTable: RecordTable<CustomerName> = {
  name: "customer_name",
  key: ["external_id"],
  keyType: text,
  columns: [
    column("external_id", text, ({ externalId }) => externalId),
    column(groupColumn, text, CustomerName.group),
    column("customer_id", uuid, ({ customerId }) => customerId)
  ],
  read: (row) => ({ externalId: Cell.text(row.external_id), customerId: Cell.text(row.customer_id) })
}
