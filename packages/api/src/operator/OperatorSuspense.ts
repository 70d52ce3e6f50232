import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** A line of the suspense account. */
export const SuspenseEntry = Schema.Struct({
  operation_id: Uuid,
  posted_at: Timestamp,
  direction: Schema.Literals(["in", "out"]).annotate({
    description: "`in` came for nobody, `out` was given to somebody."
  }),
  amount: Money,
  network: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  reason: Schema.String,
  paid_to: Schema.NullOr(Schema.String).annotate({ description: "As the sender named it." }),
  memo: Schema.NullOr(Schema.String).annotate({ description: "Type and value, such as `text:invoice 7`." }),
  from_address: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SuspenseEntry" })
/** A line of the suspense account. */
export type SuspenseEntry = typeof SuspenseEntry.Type

/** What arrived and cannot be given to anybody, with the newest lines of each currency. */
export const Suspense = Schema.Struct({
  balances: Schema.Array(Money).annotate({ description: "What stands there now, where it is not nothing." }),
  entries: Schema.Array(SuspenseEntry)
}).annotate({ identifier: "Suspense" })
/** What arrived and cannot be given to anybody. */
export type Suspense = typeof Suspense.Type
