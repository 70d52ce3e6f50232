import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { CurrencyText, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { againstAccounts } from "./againstAccounts.ts"

/** A correction of a float, or of where its value stands. */
export const AdjustFloat = Schema.Struct({
  currency: CurrencyText,
  amount: Schema.String.check(
    Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?$/u, {
      expected: "a decimal, below zero to take away"
    })
  ).annotate({ description: "Above zero adds to the float, below zero takes from it." }),
  against: Schema.Literals(againstAccounts).annotate({
    description: "The place of the value, or its new place if `from` is given."
  }),
  from: Schema.optionalKey(
    Schema.Literals(againstAccounts).annotate({
      description: "The previous place of the value that has moved to `against`. The float then does not change."
    })
  ),
  assigns: Schema.optionalKey(
    Uuid.pipe(
      Schema.annotateEncoded({
        description:
          "The operation whose arrival in suspense this assigns, if it assigns one: whole and once, `against` `suspense`."
      })
    )
  ),
  corrects: Schema.optionalKey(
    Uuid.pipe(
      Schema.annotateEncoded({
        description:
          "The operation of which this corrects what was booked at a custodian or a bank, if it corrects one. Statements are compared with the sum of the two."
      })
    )
  ),
  reason: text(500)
}).annotate({
  identifier: "AdjustFloat",
  examples: [{ currency: "USDT_TRON", amount: "1000", against: "custodian", reason: "Funded on 3 March" }]
})

/** What became of a correction: it is booked, or waits for another operator. */
export const Adjusted = Schema.Struct({
  state: Schema.Literals(["booked", "proposed"]),
  operation_id: Schema.NullOr(Uuid).annotate({ description: "The ADJUSTMENT; null while it waits." }),
  adjustment_id: Schema.NullOr(Uuid).annotate({ description: "The proposal; null if it was booked at once." }),
  available: Money
}).annotate({ identifier: "Adjusted" })
/** What became of a correction. */
export type Adjusted = typeof Adjusted.Type

/** A correction that one operator has proposed, for another to decide. */
export const OperatorAdjustment = Schema.Struct({
  id: Uuid,
  state: Schema.Literals(["PROPOSED", "BOOKED", "REJECTED"]),
  amount: Money,
  against: Schema.String,
  from: Schema.NullOr(Schema.String).annotate({
    description: "The previous place of the value that moves to `against`; null if the float changes."
  }),
  assigns: Schema.NullOr(Uuid).annotate({ description: "The operation whose arrival in suspense it assigns." }),
  corrects: Schema.NullOr(Uuid).annotate({
    description: "The operation of which it corrects what was booked at a custodian or a bank."
  }),
  reason: Schema.String,
  proposed_by: Schema.String,
  decided_by: Schema.NullOr(Schema.String),
  rejected_reason: Schema.NullOr(Schema.String),
  operation_id: Schema.NullOr(Uuid),
  created_at: Timestamp,
  decided_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorAdjustment" })
/** A correction that one operator has proposed. */
export type OperatorAdjustment = typeof OperatorAdjustment.Type

/** Every correction that was proposed for a tenant. */
export const OperatorAdjustmentList = Schema.Struct({ adjustments: Schema.Array(OperatorAdjustment) }).annotate({
  identifier: "OperatorAdjustmentList"
})

/** Why a correction is rejected or taken back. */
export const RejectAdjustment = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectAdjustment",
  examples: [{ reason: "The transfer did not arrive." }]
})
