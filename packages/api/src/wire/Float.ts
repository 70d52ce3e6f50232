import { Schema } from "effect"
import { Money } from "./Money.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** The balance of one currency; `held` is reserved by operations in flight. */
export const FloatBalance = Schema.Struct({
  available: Money,
  held: Money,
  total: Money
}).annotate({ identifier: "FloatBalance" })
/** The balance of one currency. */
export type FloatBalance = typeof FloatBalance.Type

/** The balance of every currency. */
export const Float = Schema.Struct({ currencies: Schema.Array(FloatBalance) }).annotate({ identifier: "Float" })
/** The balance of every currency. */
export type Float = typeof Float.Type

/** One line of a statement; `amount` is signed, `balance` is the running balance after it. */
export const FloatMovement = Schema.Struct({
  posted_at: Timestamp,
  amount: Money,
  balance: Money,
  description: Schema.String,
  operation_id: Schema.NullOr(Uuid),
  kind: Schema.NullOr(Schema.String),
  reference: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FloatMovement" })
/** One line of a statement. */
export type FloatMovement = typeof FloatMovement.Type

/** The movements of one currency, oldest first; when `truncated`, narrow the dates. */
export const FloatStatement = Schema.Struct({
  currency: Schema.String,
  opening_balance: Money,
  closing_balance: Money,
  movements: Schema.Array(FloatMovement),
  truncated: Schema.Boolean
}).annotate({ identifier: "FloatStatement" })
/** The movements of one currency, oldest first. */
export type FloatStatement = typeof FloatStatement.Type
