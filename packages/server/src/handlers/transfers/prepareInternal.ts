import type { ApiError } from "@bursar/api/errors/ApiError"
import type { CreateTransfer } from "@bursar/api/wire/Transfer"
import { compactNumber, AccountNumber } from "@bursar/core/account/FiatAccount"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { isUuid } from "@bursar/core/base/uuid"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import type { Amount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createInternalTransfer } from "@bursar/core/transfer/createInternalTransfer"
import { Effect } from "effect"
import { orUnavailable } from "../../refusals.ts"

const ambiguous = new Refusal({
  code: "beneficiary_invalid",
  message: "Two accounts have this number: name the account by its id."
})

const unused = new Refusal({
  code: "beneficiary_invalid",
  message: "An INTERNAL_TRANSFER names its account only by beneficiary_account: omit beneficiary and rail."
})

/** What the service knows beside the request. */
export interface InternalContext {
  readonly queries: Queries["Service"]
  readonly tenantId: TenantId
  readonly currencies: CurrencyTable
}

/**
 * What moves balance to a customer's account. `beneficiary_account` is the account's id, its IBAN or its number; a number that
 * two banks have given names none.
 */
export const prepareInternal = Effect.fnUntraced(function* (
  { currencies, queries, tenantId }: InternalContext,
  payload: CreateTransfer,
  amount: Amount
): Effect.fn.Return<Command<Operation>, ApiError> {
  if (payload.beneficiary != null || payload.rail != null) return rejectWith("CreateInternalTransfer", unused)
  const given = payload.beneficiary_account.trim()
  const byId = isUuid(given.toLowerCase())
  const named = byId
    ? [given.toLowerCase()]
    : ((yield* orUnavailable(queries.record(tenantId, AccountNumber, compactNumber(given))))?.accountIds ?? [])
  if (named.length > 1) return rejectWith("CreateInternalTransfer", ambiguous)
  return createInternalTransfer({
    amount,
    accountId: named[0] ?? null,
    actsFor: payload.acts_for ?? "TENANT",
    customerId: payload.customer_id ?? null,
    quoteId: payload.quote_id ?? null,
    partnerReference: payload.partner_reference ?? null,
    currencies
  })
})
