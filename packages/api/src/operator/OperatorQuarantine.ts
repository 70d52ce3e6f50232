import { Schema } from "effect"
import { Network } from "../wire/Network.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** A transaction, or a whole block, that the watcher has passed without reading all of it. */
export const QuarantineEntry = Schema.Struct({
  network: Network,
  block_number: Schema.Int,
  block_hash: Schema.String,
  block_time: Timestamp,
  tx_hash: Schema.NullOr(Schema.String).annotate({ description: "Null if the whole block was passed." }),
  reason: Schema.String.annotate({ description: "Why it could not be read." }),
  gains: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        address: Schema.String,
        contract: Schema.NullOr(Schema.String).annotate({ description: "Null for the network's native asset." }),
        units: Schema.String.annotate({ description: "Base units." }),
        across: Schema.Literals(["transaction", "block"]).annotate({
          description: "Whether the transaction shows it, or only the balances before and after the whole block."
        })
      })
    )
  ).annotate({
    description: "What addresses and wallets of the service may have gained from it; null if unknown."
  }),
  noticed_at: Timestamp,
  outcome: Schema.NullOr(Schema.Literals(["read", "passed", "gone"])).annotate({
    description:
      "Null while it is open: `read` in full since, `passed` by an operator, or `gone` from the chain with its block."
  }),
  ended_by: Schema.NullOr(Schema.String),
  end_reason: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "QuarantineEntry" })
/** A transaction, or a whole block, that the watcher has passed without reading all of it. */
export type QuarantineEntry = typeof QuarantineEntry.Type

/** What is in quarantine, newest first. */
export const QuarantineList = Schema.Struct({
  entries: Schema.Array(QuarantineEntry),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "QuarantineList"
})

/** Which entries end, by an operator's word, and why. */
export const PassQuarantined = Schema.Struct({
  block_hash: text(128),
  tx_hash: Schema.optionalKey(text(128)).annotate({
    description: "The transaction to pass; the whole block if omitted."
  }),
  reason: text(500)
}).annotate({
  identifier: "PassQuarantined",
  examples: [{ block_hash: "0x8d1e…", tx_hash: "0x5c20…", reason: "It pays nobody here; looked up by hand." }]
})

/** How many entries ended. */
export const QuarantinePassed = Schema.Struct({ ended: Schema.Int }).annotate({ identifier: "QuarantinePassed" })

/** Why the watcher is to step over a block. */
export const PassBlock = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "PassBlock",
  examples: [{ reason: "No node gives its receipts; the block is looked up by hand." }]
})

const orders = Schema.Literals(["pass", "reread"])

/** Orders that the watcher has not carried out. */
export const BlockOrderList = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({
      network: Network,
      block_number: Schema.Int,
      order: orders,
      by: Schema.String,
      reason: Schema.NullOr(Schema.String),
      at: Timestamp
    })
  )
}).annotate({ identifier: "BlockOrderList" })

/** Which order of a block is taken back. */
export const WithdrawOrder = Schema.Struct({ order: orders }).annotate({
  identifier: "WithdrawOrder",
  examples: [{ order: "reread" }]
})

/** What the watcher was told to do with a block, which it does in its next pass. */
export const BlockOrder = Schema.Struct({
  network: Network,
  block_number: Schema.Int,
  order: orders
}).annotate({ identifier: "BlockOrder" })
/** What the watcher was told to do with a block. */
export type BlockOrder = typeof BlockOrder.Type
