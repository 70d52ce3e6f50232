import type { Quote as WireQuote } from "@bursar/api/wire/Quote"
import type { Swap } from "@bursar/api/wire/Swap"
import { toIso } from "@bursar/core/base/Timestamp"
import { format } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Quote } from "@bursar/core/pricing/Quote"
import { isoOrNull } from "../../wire/moment.ts"
import { money, moneyOrNull } from "../../wire/money.ts"

/** A swap as partners see it. */
export const toWire = (operation: Operation, currencies: CurrencyTable): Swap => ({
  id: operation.id,
  status: operation.status,
  amount: money(currencies, operation.amount.units, operation.amount.currency),
  customer_fee: money(currencies, operation.customerFee.units, operation.customerFee.currency),
  to_amount_quoted: moneyOrNull(currencies, operation.toAmountQuoted),
  to_amount: moneyOrNull(currencies, operation.toAmount),
  partner_reference: operation.partnerReference,
  provider_reference: operation.providerReference,
  created_at: toIso(operation.createdAt),
  settled_at: isoOrNull(operation.settledAt),
  unresolved: operation.unresolved
})

/** A quote as partners see it. */
export const quoteToWire = (quote: Quote, currencies: CurrencyTable): WireQuote => ({
  id: quote.id,
  expires_at: toIso(quote.expiresAt),
  amount: money(currencies, quote.amount.units, quote.amount.currency),
  customer_fee: money(currencies, quote.customerFee.units, quote.customerFee.currency),
  amount_received: money(currencies, quote.amountReceived.units, quote.amountReceived.currency),
  exchange_rate: format(quote.exchangeRate.units, quote.exchangeRate.decimals),
  provider: quote.provider,
  binding_floor: money(currencies, quote.bindingFloor.units, quote.bindingFloor.currency).amount,
  rule_id: quote.ruleId,
  to_currency: quote.amountReceived.currency,
  rate_source: quote.rateSource,
  rate_observed_at: isoOrNull(quote.rateObservedAt)
})
