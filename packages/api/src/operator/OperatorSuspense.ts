import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** What assigns an arrival. */
export const SuspenseAssignment = Schema.Struct({
  adjustment_id: Schema.NullOr(Uuid).annotate({ description: "The proposal; null if it was booked at once." }),
  operation_id: Schema.NullOr(Uuid).annotate({ description: "The ADJUSTMENT; null while it waits for an operator." })
}).annotate({ identifier: "SuspenseAssignment" })

/** A line of the suspense account. */
export const SuspenseEntry = Schema.Struct({
  id: Schema.String.annotate({
    description: "The posting of the tenant and its leg, such as `12.0`: of this line alone, and the same for ever."
  }),
  account: Schema.String.annotate({
    description: "`suspense`, or `suspense:` and the place from which more left than the ledger showed there."
  }),
  operation_id: Uuid.pipe(
    Schema.annotateEncoded({
      description: "The operation; or the outbound transaction, if it serves no operation or several."
    })
  ),
  posted_at: Timestamp,
  direction: Schema.Literals(["in", "out"]).annotate({
    description:
      "`in`: arrived for nobody, or left although the ledger did not show it; `out`: was assigned to somebody, or explained."
  }),
  amount: Money,
  network: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  reason: Schema.String,
  paid_to: Schema.NullOr(Schema.String).annotate({ description: "As the sender named it." }),
  memo: Schema.NullOr(Schema.String).annotate({ description: "Type and value, such as `text:invoice 7`." }),
  from_address: Schema.NullOr(Schema.String),
  assignable: Schema.Boolean.annotate({ description: "Whether an adjustment can name its operation in `assigns`." }),
  assigned: Schema.NullOr(SuspenseAssignment)
}).annotate({ identifier: "SuspenseEntry" })
/** A line of the suspense account. */
export type SuspenseEntry = typeof SuspenseEntry.Type

/** What left a place that did not have it in the books. */
export const Shortfall = Schema.Struct({
  place: Schema.String.annotate({ description: "As an adjustment names it." }),
  amount: Money
}).annotate({ identifier: "Shortfall" })

/** What arrived and cannot be given to anybody, what left and was never booked in, and a page of the lines. */
export const Suspense = Schema.Struct({
  balances: Schema.Array(Money).annotate({
    description: "Funds that arrived and belong to nobody yet, if there are any."
  }),
  shortfalls: Schema.Array(Shortfall).annotate({
    description:
      "Funds that left a place although the ledger did not show them there, until a later booking covers them."
  }),
  entries: Schema.Array(SuspenseEntry).annotate({ description: "The newest first, of all currencies." }),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Suspense" })
/** What arrived and cannot be given to anybody, and what left and was never booked in. */
export type Suspense = typeof Suspense.Type
