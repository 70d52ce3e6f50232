import { Schema } from "effect"
import { Money, MoneyIn } from "./Money.ts"
import { OperationStatus, Unresolved } from "./OperationStatus.ts"
import { AddressText, CodeText, maybe, MemoText, NetworkText, ReferenceText } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** A payment to an on-chain address. */
export const CreateChainPayout = Schema.Struct({
  amount: MoneyIn,
  network: NetworkText,
  destination: Schema.Struct({
    address: AddressText,
    memo: maybe(
      MemoText.annotate({
        description:
          "Only on stellar: a text, unless a type is in front, as in `id:42`, `hash:…`, `return:…` or `text:id:42`."
      })
    )
  }).annotate({ identifier: "ChainDestinationIn" }),
  reference: ReferenceText,
  tenant: maybe(
    CodeText.annotate({
      description: "A guard: if given, it must be the slug or id of the key's own tenant."
    })
  )
}).annotate({
  identifier: "CreateChainPayout",
  examples: [
    {
      amount: { amount: "12.5", currency: "USDT_TRON" },
      network: "tron",
      destination: { address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" },
      reference: "invoice-2041"
    }
  ]
})
/** A payment to an on-chain address. */
export type CreateChainPayout = typeof CreateChainPayout.Type

/** A chain payout; accepted is not sent. */
export const ChainPayout = Schema.Struct({
  id: Uuid,
  status: OperationStatus,
  review: Schema.NullOr(Schema.Literals(["PENDING", "APPROVED", "REJECTED"])),
  amount: Money,
  network: Schema.NullOr(Schema.String),
  destination: Schema.Struct({
    address: Schema.NullOr(Schema.String),
    memo: Schema.NullOr(Schema.String).annotate({
      description: "As a request would name it, so that you can use it in another request."
    })
  }).annotate({ identifier: "ChainDestination" }),
  from_address: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  reference: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  unresolved: Unresolved
}).annotate({ identifier: "ChainPayout" })
/** A chain payout. */
export type ChainPayout = typeof ChainPayout.Type
