import { ProviderOrder, providerOrderKey } from "@bursar/core/custody/ProviderOrder"
import * as Cell from "../internal/cells.ts"
import { text, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Which operations the orders of providers belong to. */
export const providerOrderTable: RecordTable<ProviderOrder> = {
  name: "provider_order",
  key: ["provider_order_key"],
  keyType: text,
  unique: { table: "provider_order_directory", column: "provider_order_key" },
  columns: [
    column("provider_order_key", text, ({ provider, providerReference }) =>
      providerOrderKey(provider, providerReference)
    ),
    column(groupColumn, text, ProviderOrder.group),
    column("provider", text, ({ provider }) => provider),
    column("provider_reference", text, ({ providerReference }) => providerReference),
    column("operation_id", uuid, ({ operationId }) => operationId)
  ],
  read: (row) => ({
    provider: Cell.text(row.provider),
    providerReference: Cell.text(row.provider_reference),
    operationId: Cell.text(row.operation_id)
  })
}
