import { Schema } from "effect"
import { Network } from "./Network.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** Why sweeping is held: by the service on three occasions, by the tenant (OWNER), by operators (OPERATOR). */
export const SweepHoldKind = Schema.Literals(["ISSUANCE", "IMPORT", "ARRIVAL", "OWNER", "OPERATOR"])

/** An address that the service watches. */
export const DepositAddress = Schema.Struct({
  id: Uuid,
  network: Network,
  address: Schema.String,
  reference: Schema.String,
  source: Schema.String.annotate({
    description:
      "REGISTERED, DERIVED, SERVICE_ISSUED or SERVICE_IMPORTED, where SERVICE stands for the service's own name."
  }),
  xpub_id: Schema.NullOr(Uuid),
  seed_id: Schema.NullOr(Uuid),
  derivation_index: Schema.NullOr(Schema.Int),
  watch_from: Timestamp,
  watch_from_block: Schema.NullOr(Schema.Int),
  sweep_held_at: Schema.NullOr(Timestamp),
  sweep_hold_reason: Schema.NullOr(Schema.String),
  sweep_hold_kind: Schema.NullOr(SweepHoldKind),
  retired_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  watch_now_until: Schema.NullOr(Timestamp),
  sweeps_enabled: Schema.NullOr(Schema.Boolean).annotate({
    description: "Whether the service sweeps the address; null when it holds no key for it."
  }),
  watched_networks: Schema.NullOr(Schema.Array(Network)).annotate({
    description: "The networks the address is read on; empty when retired, null on older records."
  }),
  sibling_of: Schema.NullOr(Uuid).annotate({
    description: "The issued address that has the same key; this address was registered when a deposit was found here."
  })
}).annotate({ identifier: "DepositAddress" })
/** An address that the service watches. */
export type DepositAddress = typeof DepositAddress.Type

/** A page of addresses. */
export const DepositAddressPage = Schema.Struct({
  addresses: Schema.Array(DepositAddress),
  next_after: Schema.NullOr(Uuid).annotate({ description: "Pass as `after`; null on the last page." })
}).annotate({ identifier: "DepositAddressPage" })
/** A page of addresses. */
export type DepositAddressPage = typeof DepositAddressPage.Type
