import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { Network } from "../wire/Network.ts"
import { OperationStatus } from "../wire/OperationStatus.ts"
import { maybe, text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { UnreadableOperations } from "./UnreadableOperation.ts"

/** A wallet to make: an account that payouts are paid from, or one that lends its sequence numbers (stellar). */
export const CreateWallet = Schema.Struct({
  network: Network,
  role: Schema.optionalKey(Schema.Literals(["PAYOUT", "CHANNEL"])),
  another: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "Make a payout wallet beside the one that is there, on a network where the transactions of an account follow on each other: ethereum, bsc, base. Without it the wallet that is there is answered."
  }),
  custody: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,32}$/u, { expected: "the name of a key custody" }))
  ).annotate({
    description: "The configured key custody that makes and keeps the key, such as `pkcs11`; without it the vault does."
  })
}).annotate({ identifier: "CreateWallet", examples: [{ network: "tron" }] })

/** A wallet as operators see it. */
export const OperatorWallet = Schema.Struct({
  id: Uuid,
  network: Schema.String,
  role: Schema.String,
  address: Schema.String,
  custody: Schema.NullOr(Schema.String).annotate({
    description: "The key custody that holds the key; null if the vault does."
  }),
  next_sequence: Schema.NullOr(Schema.String),
  open_transactions: Schema.Int,
  created_at: Timestamp
}).annotate({ identifier: "OperatorWallet" })
/** A wallet as operators see it. */
export type OperatorWallet = typeof OperatorWallet.Type

/** Every wallet of a tenant. */
export const OperatorWalletList = Schema.Struct({ wallets: Schema.Array(OperatorWallet) }).annotate({
  identifier: "OperatorWalletList"
})

/** A transaction that was signed for a payout. */
export const OperatorAttempt = Schema.Struct({
  hash: Schema.String,
  transaction_id: Uuid.pipe(
    Schema.annotateEncoded({
      description:
        "What it was signed for. At most one attempt of an outbound transaction takes effect. The next transaction begins only when it is proven that no attempt of the previous one can."
    })
  ),
  transaction_outcome: Schema.NullOr(Schema.Literals(["done", "reverted", "replaced", "expired", "released"])).annotate(
    {
      description:
        "How the outbound transaction ended: by its own final attempt (`done`, `reverted`), by a foreign transaction (`replaced`), or by the proof that none can be included any more (`expired`); null until it has ended."
    }
  ),
  replaces: Schema.NullOr(Schema.String),
  valid_until: Schema.NullOr(Timestamp),
  signed_at: Timestamp,
  sent_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "OperatorAttempt" })
/** A transaction that was signed for a payout. */
export type OperatorAttempt = typeof OperatorAttempt.Type

/** What an operator knows of a payout, and what the chain said of it. */
export const PayoutEvidence = Schema.Struct({
  tx_hash: Schema.NullOr(Schema.String),
  note: Schema.String,
  given_by: Schema.String,
  given_at: Timestamp,
  verdict: Schema.NullOr(Schema.Literals(["PROVEN", "NOT_PROVEN", "NOT_FINAL", "UNREADABLE"])).annotate({
    description:
      "The chain's answer about the transaction; null until it was asked. NOT_FINAL: it is in a block that may still be replaced."
  }),
  found: Schema.NullOr(Schema.String),
  checked_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "PayoutEvidence" })

/** A payout as operators see it. */
export const OperatorPayout = Schema.Struct({
  id: Uuid,
  status: OperationStatus,
  unresolved: Schema.Boolean,
  review: Schema.NullOr(Schema.String),
  amount: Money,
  customer_fee: Money,
  network_fee: Schema.NullOr(Money).annotate({
    description: "The network fee; null until it is final, and if a foreign transaction made the payment."
  }),
  network: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  memo: Schema.NullOr(Schema.String),
  failure_reason: Schema.NullOr(Schema.String),
  phase: Schema.NullOr(Schema.String),
  waits_for: Schema.NullOr(Schema.String),
  problem: Schema.NullOr(Schema.String),
  asked: Schema.NullOr(Schema.Literals(["REBROADCAST", "BUMP"])).annotate({
    description: "What an operator requested and the sender has not done yet."
  }),
  made_by: Schema.NullOr(Schema.String),
  reviewed_by: Schema.NullOr(Schema.String),
  cancelled_by: Schema.NullOr(Schema.String),
  provider_reference: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp),
  attempts: Schema.Array(OperatorAttempt).annotate({
    description: "All transactions that were signed for it, oldest first."
  }),
  evidence: Schema.Array(PayoutEvidence)
}).annotate({ identifier: "OperatorPayout" })
/** A payout as operators see it. */
export type OperatorPayout = typeof OperatorPayout.Type

/** Payouts of a tenant, newest first. */
export const OperatorPayoutList = Schema.Struct({
  payouts: Schema.Array(OperatorPayout),
  unreadable: UnreadableOperations
}).annotate({ identifier: "OperatorPayoutList" })

/** Why a payout is rejected. */
export const RejectPayout = Schema.Struct({ reason: text(500) }).annotate({
  identifier: "RejectPayout",
  examples: [{ reason: "The receiver is on a list." }]
})

/** What an operator knows of a payout. */
export const AttachEvidence = Schema.Struct({
  note: text(1000),
  tx_hash: maybe(text(128)).annotate({
    description: "A transaction that is said to have made the payment. Only the answer of the chain counts."
  })
}).annotate({
  identifier: "AttachEvidence",
  examples: [{ note: "Sent before the restore of 3 March.", tx_hash: `0x${"ab".repeat(32)}` }]
})

/** How a wish to cancel ended: `trying` says that something was signed, and the chain decides. */
export const CancelledPayout = Schema.Struct({
  state: Schema.Literals(["cancelled", "trying"]),
  payout: OperatorPayout
}).annotate({ identifier: "CancelledPayout" })
