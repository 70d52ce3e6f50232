import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"
import { OperatorWallet } from "./OperatorPayout.ts"

/** What a wallet has of an asset. */
const WalletAsset = Schema.Struct({
  currency: Schema.String,
  on_chain: Schema.NullOr(Money).annotate({
    description: "What the chain shows in its newest block; null if no node answers."
  }),
  committed: Money.annotate({ description: "What open transactions will take that are in no block yet." })
}).annotate({ identifier: "WalletAsset" })

/** An outbound transaction of a wallet that is not over. */
const WalletTransaction = Schema.Struct({
  transaction_id: Uuid,
  purpose: Schema.String,
  phase: Schema.String,
  sequence: Schema.NullOr(Schema.String).annotate({ description: "Its nonce; null if its replay guard is another." }),
  hashes: Schema.Array(Schema.String).annotate({ description: "What was signed, oldest first." }),
  operations: Schema.Array(Uuid),
  problem: Schema.NullOr(Schema.String),
  reserved_at: Timestamp,
  last_sent_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "WalletTransaction" })

/** A wallet with what the chain and the books say of it. */
export const OperatorWalletDetail = Schema.Struct({
  wallet: OperatorWallet,
  assets: Schema.Array(WalletAsset),
  chain_sequence: Schema.NullOr(Schema.String).annotate({
    description: "The number that the chain takes next; null if the network has none, or no node answers."
  }),
  gaps: Schema.Array(Schema.String).annotate({
    description:
      "Numbers between the chain's next one and the wallet's that no open transaction takes: whatever follows waits for them."
  }),
  transactions: Schema.Array(WalletTransaction).annotate({ description: "Open ones, oldest first, at most 200." }),
  utxos: Schema.Array(
    Schema.Struct({
      tx_hash: Schema.String,
      vout: Schema.Int,
      amount: Money,
      transaction_id: Schema.NullOr(Uuid).annotate({ description: "What has reserved it; null if it is free." })
    })
  ).annotate({ description: "Outputs that are free or reserved (bitcoin)." })
}).annotate({ identifier: "OperatorWalletDetail" })
/** A wallet with what the chain and the books say of it. */
export type OperatorWalletDetail = typeof OperatorWalletDetail.Type
