import { Schema } from "effect"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { Operation } from "../operation/Operation.ts"
import { canonicalText } from "./canonical.ts"
import { type GrantValues, valuesSchemas } from "./GrantDocument.ts"
import { granted, type Granted, type TenantState } from "./GrantState.ts"

type Texts = Readonly<Record<string, string>>

/** Those of some fields that say something. */
const said = (fields: Readonly<Record<string, string | null | undefined>>): Texts =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text == null || text === "" ? [] : [[name, text] as const]))
  )

/** The fields of an address or of an account. A row may have both: then neither hides what the other says. */
const receiverOf = ({ destination, payee }: OperationDetails): Texts =>
  destination == null
    ? said({ ...payee })
    : said({
        ...destination,
        ...Object.fromEntries(Object.entries(payee ?? {}).map(([name, text]) => [`payee.${name}`, text]))
      })

const termsOf = ({ actsFor, customerId, details }: Operation): Texts =>
  said({
    to_currency: details.to_currency,
    rail: details.rail,
    quote_id: details.quote_id,
    would_bring: details.would_bring,
    refund_of: details.refund_of,
    customer_id: customerId,
    acts_for: customerId === null ? null : actsFor,
    provider_customer_id: details.provider_customer_id,
    // another request for the very same is another payment
    request: details.signature?.signature
  })

/** An operation as a grant says it: everything of it by which somebody is paid. */
export const reviewValues = (operation: Operation): GrantValues<"review"> => ({
  operation_id: operation.id,
  product: operation.kind,
  units: String(operation.amount.units),
  currency: operation.amount.currency,
  network: operation.network,
  provider: operation.provider,
  receiver: receiverOf(operation.details),
  terms: termsOf(operation)
})

const isSayable = Schema.is(valuesSchemas.review)

/** Whether an operation is exactly what some values say. What no grant can say, such as a name with invisible signs, never is. */
export const saysReview = (values: GrantValues<"review">, operation: Operation): boolean => {
  const wanted = reviewValues(operation)
  return isSayable(wanted) && canonicalText(wanted) === canonicalText(values)
}

/** The newest grant by which people let an operation leave exactly as it is; undefined where there is none, or it says otherwise. */
export const grantedReview = (tenant: TenantState, operation: Operation): Granted<"review"> | undefined => {
  const found = granted(tenant, "review", operation.id)
  return found !== undefined && saysReview(found.values, operation) ? found : undefined
}
