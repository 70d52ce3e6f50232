import type { DepositAddress } from "../address/DepositAddress.ts"
import type { ListedOperation } from "./UnreadableOperation.ts"

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

/** Something that has exactly the text that was looked for: an operation also where it cannot be read. */
export type SearchHit =
  | { readonly by: OperationText; readonly operation: ListedOperation }
  | { readonly by: "address"; readonly address: DepositAddress }
