import { products } from "@bursar/core/pricing/Product"
import { Quote } from "@bursar/core/pricing/Quote"
import * as Cell from "../internal/cells.ts"
import { numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { decimalOf, decimalText } from "../internal/decimals.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** Prices that were held for a while. */
export const quoteTable: RecordTable<Quote> = {
  name: "quote",
  key: ["quote_id"],
  keyType: uuid,
  columns: [
    column("quote_id", uuid, ({ id }) => id),
    column(groupColumn, text, Quote.group),
    column("product", text, ({ product }) => product),
    column("currency", text, ({ amount }) => amount.currency),
    column("units", numeric, ({ amount }) => amount.units.toString()),
    column("fee_units", numeric, ({ customerFee }) => customerFee.units.toString()),
    column("to_currency", text, ({ amountReceived }) => amountReceived.currency),
    column("to_units", numeric, ({ amountReceived }) => amountReceived.units.toString()),
    column("floor_units", numeric, ({ bindingFloor }) => bindingFloor.units.toString()),
    column("exchange_rate", text, ({ exchangeRate }) => decimalText(exchangeRate)),
    column("rate_source", text, ({ rateSource }) => rateSource),
    column("rate_observed_at", timestamptz, ({ rateObservedAt }) => rateObservedAt),
    column("provider", text, ({ provider }) => provider),
    column("rule_id", text, ({ ruleId }) => ruleId),
    column("customer_id", text, ({ customerId }) => customerId),
    column("rail", text, ({ rail }) => rail),
    column("country", text, ({ country }) => country),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("expires_at", timestamptz, ({ expiresAt }) => expiresAt),
    column("used_by", uuid, ({ usedBy }) => usedBy)
  ],
  read: (row) => {
    const [currency, to] = [Cell.text(row.currency), Cell.text(row.to_currency)]
    return {
      id: Cell.text(row.quote_id),
      product: Cell.oneOf(products, row.product),
      amount: { units: Cell.units(row.units), currency },
      customerFee: { units: Cell.units(row.fee_units), currency },
      amountReceived: { units: Cell.units(row.to_units), currency: to },
      bindingFloor: { units: Cell.units(row.floor_units), currency: to },
      exchangeRate: decimalOf(row.exchange_rate),
      rateSource: Cell.textOrNull(row.rate_source),
      rateObservedAt: Cell.atOrNull(row.rate_observed_at),
      provider: Cell.text(row.provider),
      ruleId: Cell.textOrNull(row.rule_id),
      customerId: Cell.textOrNull(row.customer_id),
      rail: Cell.textOrNull(row.rail),
      country: Cell.textOrNull(row.country),
      createdAt: Cell.at(row.created_at),
      expiresAt: Cell.at(row.expires_at),
      usedBy: Cell.textOrNull(row.used_by)
    }
  }
}
