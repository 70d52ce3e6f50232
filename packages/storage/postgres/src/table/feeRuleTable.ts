import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { products } from "@bursar/core/pricing/Product"
import * as Cell from "../internal/cells.ts"
import { int4, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { decimalOf, decimalText } from "../internal/decimals.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** What operations cost. */
export const feeRuleTable: RecordTable<FeeRule> = {
  name: "fee_rule",
  key: ["fee_rule_id"],
  keyType: uuid,
  columns: [
    column("fee_rule_id", uuid, ({ id }) => id),
    column(groupColumn, text, FeeRule.group),
    column("product", text, ({ product }) => product),
    column("currency", text, ({ currency }) => currency),
    column("rail", text, ({ rail }) => rail),
    column("percent", text, ({ percent }) => decimalText(percent)),
    column("minimum_fee", text, ({ minimumFee }) => decimalText(minimumFee)),
    column("priority", int4, ({ priority }) => priority),
    column("effective_from", timestamptz, ({ effectiveFrom }) => effectiveFrom),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("retired_at", timestamptz, ({ retiredAt }) => retiredAt)
  ],
  read: (row) => ({
    id: Cell.text(row.fee_rule_id),
    product: row.product === null ? null : Cell.oneOf(products, row.product),
    currency: Cell.textOrNull(row.currency),
    rail: Cell.textOrNull(row.rail),
    percent: decimalOf(row.percent),
    minimumFee: decimalOf(row.minimum_fee),
    priority: Cell.int(row.priority),
    effectiveFrom: Cell.at(row.effective_from),
    createdAt: Cell.at(row.created_at),
    retiredAt: Cell.atOrNull(row.retired_at)
  })
}
