import type { Amount } from "@bursar/core/money/Amount"
import { type Operation, operationKinds, operationStatuses } from "@bursar/core/operation/Operation"
import { decodeDetails } from "@bursar/core/operation/OperationDetails"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as Cell from "../internal/cells.ts"
import { bool, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, seldom, type RecordTable } from "../internal/Table.ts"

const amountOrNull = (currency: unknown, units: unknown): Amount | null =>
  currency === null ? null : { units: Cell.units(units), currency: Cell.text(currency) }

const unitsOf = (amount: Amount | null): string | null => (amount === null ? null : amount.units.toString())

/** The register. */
export const operationTable: RecordTable<Operation> = {
  name: "operation",
  key: ["operation_id"],
  keyType: uuid,
  insertsUnread: true,
  // by the index of operators' searches: most operations are in no group
  groups: `from operation t where t.tenant_id = $1 and t.tx_hash = any($2::text[])
    and ((t.kind = 'ADJUSTMENT' and coalesce(t.details->>'uncredited_deposit', t.details->>'wallet_arrival') is not null)
      or (t.kind = 'CHAIN_PAYOUT' and t.details->>'proven_by' is not null))`,
  columns: [
    column("operation_id", uuid, ({ id }) => id),
    column("kind", text, ({ kind }) => kind),
    column("status", text, ({ status }) => status),
    column("currency", text, ({ amount }) => amount.currency),
    column("units", numeric, ({ amount }) => amount.units.toString()),
    column("fee_currency", text, ({ customerFee }) => customerFee.currency),
    column("fee_units", numeric, ({ customerFee }) => customerFee.units.toString()),
    ...seldom<Operation>("conversion", [
      column("to_currency", text, ({ toAmount }) => toAmount?.currency ?? null),
      column("to_units", numeric, ({ toAmount }) => unitsOf(toAmount)),
      column("to_quoted_currency", text, ({ toAmountQuoted }) => toAmountQuoted?.currency ?? null),
      column("to_quoted_units", numeric, ({ toAmountQuoted }) => unitsOf(toAmountQuoted))
    ]),
    ...seldom<Operation>("parties", [
      column("customer_id", text, ({ customerId }) => customerId),
      column("provider", text, ({ provider }) => provider),
      column("provider_reference", text, ({ providerReference }) => providerReference)
    ]),
    column("acts_for", text, ({ actsFor }) => actsFor),
    column("network", text, ({ network }) => network),
    column("partner_reference", text, ({ partnerReference }) => partnerReference),
    ...seldom<Operation>("chain", [
      column("network_fee_currency", text, ({ networkFee }) => networkFee?.currency ?? null),
      column("network_fee_units", numeric, ({ networkFee }) => unitsOf(networkFee)),
      column("tx_hash", text, ({ txHash }) => txHash)
    ]),
    column("unresolved", bool, ({ unresolved }) => unresolved),
    column("details", json, ({ details }) => details),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    ...seldom<Operation>("settlement", [column("settled_at", timestamptz, ({ settledAt }) => settledAt)])
  ],
  read: (row) => {
    const [id, kind] = [Cell.text(row.operation_id), Cell.oneOf(operationKinds, row.kind)]
    return {
      id,
      tenantId: TenantId(Cell.text(row.tenant_id)),
      kind,
      status: Cell.oneOf(operationStatuses, row.status),
      amount: { units: Cell.units(row.units), currency: Cell.text(row.currency) },
      customerFee: { units: Cell.units(row.fee_units), currency: Cell.text(row.fee_currency) },
      toAmount: amountOrNull(row.to_currency, row.to_units),
      toAmountQuoted: amountOrNull(row.to_quoted_currency, row.to_quoted_units),
      customerId: Cell.textOrNull(row.customer_id),
      actsFor: Cell.oneOf(["TENANT", "CUSTOMER"], row.acts_for),
      network: row.network === null ? null : Cell.text(row.network),
      provider: Cell.textOrNull(row.provider),
      providerReference: Cell.textOrNull(row.provider_reference),
      partnerReference: Cell.textOrNull(row.partner_reference),
      networkFee: amountOrNull(row.network_fee_currency, row.network_fee_units),
      txHash: Cell.textOrNull(row.tx_hash),
      unresolved: Cell.flag(row.unresolved),
      details: decodeDetails(id, kind, row.details),
      createdAt: Cell.at(row.created_at),
      settledAt: Cell.atOrNull(row.settled_at)
    }
  }
}
