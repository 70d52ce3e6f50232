import { Schema } from "effect"
import { MoneyIn } from "./Money.ts"
import { RailIn } from "./Rail.ts"
import { AddressText, maybe, MemoText, text } from "./Text.ts"

/** A payment that is said to be on a chain. */
export const ProveIn = Schema.Struct({
  rail: RailIn,
  tx_hash: text(128),
  destination: AddressText,
  amount: MoneyIn,
  senders: Schema.Array(AddressText)
    .check(Schema.isMaxLength(100))
    .annotate({ description: "Who may have paid: one of these addresses, or anybody where there is none." }),
  memo: maybe(
    MemoText.annotate({
      description: "The memo as a payout names it. Without a type in front, a memo of any type with this value matches."
    })
  )
}).annotate({
  identifier: "ProveIn",
  examples: [
    {
      rail: { currency: "USDT_TRON", network: "tron" },
      tx_hash: "9f2a3b6c1d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcd",
      destination: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
      amount: { amount: "12.5", currency: "USDT_TRON" },
      senders: ["TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"]
    }
  ]
})
/** A payment that is said to be on a chain. */
export type ProveIn = typeof ProveIn.Type

/** What the chain says; only PROVEN is grounds to act. */
export const Proof = Schema.Struct({
  verdict: Schema.Literals(["PROVEN", "NOT_PROVEN", "UNREADABLE"]),
  detail: Schema.NullOr(Schema.String).annotate({ description: "With PROVEN: what the chain shows." }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "With NOT_PROVEN or UNREADABLE: why." })
}).annotate({ identifier: "Proof" })
/** What the chain says. */
export type Proof = typeof Proof.Type
