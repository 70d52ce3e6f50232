import { FiatAccount, fiatAccountStatuses } from "@bursar/core/account/FiatAccount"
import * as Cell from "../internal/cells.ts"
import { json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The fiat accounts of customers. */
export const fiatAccountTable: RecordTable<FiatAccount> = {
  name: "fiat_account",
  key: ["account_id"],
  keyType: uuid,
  columns: [
    column("account_id", uuid, ({ id }) => id),
    column(groupColumn, text, FiatAccount.group),
    column("customer_id", uuid, ({ customerId }) => customerId),
    column("currency", text, ({ currency }) => currency),
    column("country", text, ({ country }) => country),
    column("status", text, ({ status }) => status),
    column("provider", text, ({ provider }) => provider),
    column("provider_customer_id", text, ({ providerCustomerId }) => providerCustomerId),
    column("provider_account_id", text, ({ providerAccountId }) => providerAccountId),
    column("details", json, ({ details }) => details),
    column("last_incoming", text, ({ lastIncoming }) => lastIncoming),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("changed_at", timestamptz, ({ changedAt }) => changedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.account_id),
    customerId: Cell.text(row.customer_id),
    currency: Cell.text(row.currency),
    country: Cell.textOrNull(row.country),
    status: Cell.oneOf(fiatAccountStatuses, row.status),
    provider: Cell.text(row.provider),
    providerCustomerId: Cell.textOrNull(row.provider_customer_id),
    providerAccountId: Cell.textOrNull(row.provider_account_id),
    details: Cell.json(row.details),
    lastIncoming: Cell.textOrNull(row.last_incoming),
    createdAt: Cell.at(row.created_at),
    changedAt: Cell.at(row.changed_at)
  })
}
