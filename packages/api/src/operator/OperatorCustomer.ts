import { Schema } from "effect"
import { Account, AccountEntry } from "../wire/Account.ts"
import { Money } from "../wire/Money.ts"
import { OperatorOperation } from "./OperatorOperation.ts"
import { UnreadableOperations } from "./UnreadableOperation.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** An end user of a tenant. What proves who the person is stands with the providers. */
export const OperatorCustomer = Schema.Struct({
  id: Uuid,
  external_id: Schema.String.annotate({ description: "The tenant's own identifier." }),
  is_business: Schema.Boolean,
  display_name: Schema.NullOr(Schema.String),
  country: Schema.NullOr(Schema.String),
  verification: Schema.Struct({
    status: Schema.String,
    provider: Schema.NullOr(Schema.String),
    applicant_id: Schema.NullOr(Schema.String),
    capabilities: Schema.Array(Schema.String),
    environment: Schema.NullOr(Schema.Literals(["production", "sandbox"])),
    decided_at: Schema.NullOr(Timestamp),
    expires_at: Schema.NullOr(Timestamp)
  }).annotate({ description: "The identity check as it stands now; `NOT_STARTED` if none was opened." }),
  provider: Schema.NullOr(Schema.String).annotate({
    description: "The fiat provider that the customer is registered with; null if with none."
  }),
  provider_customer_id: Schema.NullOr(Schema.String),
  created_at: Timestamp
}).annotate({ identifier: "OperatorCustomer" })
/** An end user of a tenant. */
export type OperatorCustomer = typeof OperatorCustomer.Type

/** Which approval ends, and why. */
export const EndCheck = Schema.Struct({
  applicant_id: text(256).annotate({ description: "The applicant of the check, as the customer shows it." }),
  reason: text(500)
}).annotate({
  identifier: "EndCheck",
  examples: [{ applicant_id: "65f1c0ffee", reason: "Deleted at Sumsub on request of the person." }]
})

/** Customers, newest first. */
export const OperatorCustomerPage = Schema.Struct({
  customers: Schema.Array(OperatorCustomer),
  next_after: Schema.NullOr(Uuid).annotate({ description: "Pass as `after`; null on the last page." })
}).annotate({ identifier: "OperatorCustomerPage" })

/** A customer's fiat account as operators see it. */
export const OperatorAccount = Schema.Struct({
  ...Account.fields,
  customer_id: Uuid,
  provider: Schema.String,
  provider_account_id: Schema.NullOr(Schema.String),
  balance: Money.annotate({ description: "What is owed to the customer on the account." }),
  created_at: Timestamp,
  changed_at: Timestamp
}).annotate({ identifier: "OperatorAccount" })
/** A customer's fiat account as operators see it. */
export type OperatorAccount = typeof OperatorAccount.Type

/** A customer with its accounts. */
export const OperatorCustomerDetail = Schema.Struct({
  customer: OperatorCustomer,
  accounts: Schema.Array(OperatorAccount)
}).annotate({ identifier: "OperatorCustomerDetail" })

/** The lines of an account, newest first, each with the operation that made it. */
export const OperatorAccountEntryList = Schema.Struct({
  account: OperatorAccount,
  entries: Schema.Array(
    Schema.Struct({
      ...AccountEntry.fields,
      balance: Money.annotate({ description: "Of the account, after the entry." }),
      operation_id: Schema.NullOr(Uuid)
    })
  )
}).annotate({ identifier: "OperatorAccountEntryList" })

/** Operations of a customer, newest first. */
export const CustomerOperationList = Schema.Struct({
  operations: Schema.Array(OperatorOperation),
  unreadable: UnreadableOperations
}).annotate({ identifier: "CustomerOperationList" })
