import { Schema } from "effect"
import { Deposit } from "../wire/Deposit.ts"
import { Network } from "../wire/Network.ts"
import { text } from "../wire/Text.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { Uuid } from "../wire/Uuid.ts"

/** From where on the past of an address is read again: a moment or a block, and not both. */
export const ScanAddress = Schema.Struct({
  from: Schema.optionalKey(Timestamp),
  from_block: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
}).annotate({ identifier: "ScanAddress", examples: [{ from: "2026-11-01T00:00:00Z" }] })

/** A reading of the past for some addresses of a tenant, and how far it has come. */
export const OperatorScan = Schema.Struct({
  id: Uuid,
  tenant_id: Uuid,
  network: Network,
  addresses: Schema.Array(Schema.String),
  from: Timestamp,
  from_block: Schema.NullOr(Schema.Int),
  next_block: Schema.NullOr(Schema.Int).annotate({ description: "The next block to read; null until it has begun." }),
  last_block: Schema.NullOr(Schema.Int),
  problem: Schema.NullOr(Schema.String).annotate({
    description: "Why it could not be read the last time; it is tried again. Null where it could."
  }),
  ended: Schema.NullOr(Schema.Struct({ by: Schema.String, reason: Schema.String, at: Timestamp })).annotate({
    description:
      "The operator who ended it before it was read, null while it goes on: the blocks from `next_block` to `last_block`, or all of it if it had not begun, were not read for these addresses, and nothing that arrived there is known."
  }),
  created_at: Timestamp
}).annotate({ identifier: "OperatorScan" })
/** A reading of the past for some addresses of a tenant. */
export type OperatorScan = typeof OperatorScan.Type

/** Why a reading of the past is ended, and where it stood for whoever decided that. */
export const EndScan = Schema.Struct({
  reason: text(500),
  next_block: Schema.NullOr(Schema.Int).annotate({
    description: "As the list shows it. If the reading has gone on since, it is not ended (`state_conflict`)."
  })
}).annotate({
  identifier: "EndScan",
  examples: [{ reason: "No node keeps these blocks; the tenant has looked them up.", next_block: 41_000 }]
})

/** A page of readings of the past; `next_cursor` is null on the last. */
export const OperatorScanList = Schema.Struct({
  scans: Schema.Array(OperatorScan),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "OperatorScanList"
})
/** A page of readings of the past. */
export type OperatorScanList = typeof OperatorScanList.Type

/** Deposits whose block left the chain, the latest first. */
export const ReorgedDepositList = Schema.Struct({ deposits: Schema.Array(Deposit) }).annotate({
  identifier: "ReorgedDepositList"
})
