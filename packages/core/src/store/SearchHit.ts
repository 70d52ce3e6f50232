import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Operation } from "../operation/Operation.ts"

/** What of an operation a text can be; `destination` is the address that a chain payout pays. */
export const operationTexts = [
  "id",
  "transaction",
  "provider_reference",
  "partner_reference",
  "idempotency_key",
  "destination",
  "amount"
] as const

/** What of an operation a text is. */
export type OperationText = (typeof operationTexts)[number]

/** Something that has exactly the text that was looked for. */
export type SearchHit =
  | { readonly by: OperationText; readonly operation: Operation }
  | { readonly by: "address"; readonly address: DepositAddress }
