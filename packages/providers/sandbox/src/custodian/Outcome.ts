import { Schema } from "effect"

/**
 * What becomes of the next order: it is taken and done (`settle`), taken and then given up (`fail`), the same without the
 * first answer ever arriving (`timeout_then_…`), or never heard of again (`never`).
 */
export const Outcome = Schema.Literals(["settle", "fail", "timeout_then_settle", "timeout_then_fail", "never"])

/** What becomes of the next order. */
export type Outcome = typeof Outcome.Type

/** What an order moves. */
export type OrderKind = "withdrawal" | "conversion"

/** What the controls call the kinds of orders, in anyone's words. */
export const orderKinds = {
  withdrawal: "withdrawal",
  withdraw: "withdrawal",
  conversion: "conversion",
  convert: "conversion",
  swap: "conversion"
} as const satisfies Readonly<Record<string, OrderKind>>
