import { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { Schema } from "effect"

const Counter = Schema.BigInt

/** The counters of a tenant. */
export const Progress = Schema.Struct({ changeSeq: Counter, eventId: Counter, postingSeq: Counter })

/** A request of a partner that a signature answered to. */
export const SpentRequest = Schema.Struct({
  /** The tenant with the idempotency key that the partner has signed: a key is never good for a second effect. */
  key: Schema.String,
  /** The digest of the body that was signed. */
  digest: Schema.String,
  /** The digest of all that was signed, whoever the tenant is; absent in what was signed for before this was remembered. */
  text: Schema.optionalKey(Schema.String)
})

/** A request that a signature answered to. */
export type SpentRequest = typeof SpentRequest.Type

const Signatures = Schema.Array(Schema.Struct({ network: Schema.String, hash: Schema.String }))

/** Some of what the database had as signed at a time to come when the store began: it shows nothing of whether the store is old. */
export const Ahead = Schema.Struct({ _tag: Schema.tag("Ahead"), signatures: Signatures })

/** The entry with which a store has begun. */
export const Opened = Schema.Struct({
  _tag: Schema.tag("Opened"),
  id: Schema.String,
  at: Schema.Number,
  /** Requests that were signed before this moment are refused: what an earlier store knew of them is lost. 0 in a first store. */
  requestsFrom: Schema.Number,
  /**
   * When the newest transaction was signed that the database had then and that said no time to come, 0 for none: a clock that is ahead does not move it. Absent after a
   * recovery, which signs nothing from before its own clock, and in stores that began before this was remembered.
   */
  newestAt: Schema.optionalKey(Schema.Number),
  /** The same as `Ahead`, in stores that began before that was an entry. */
  ahead: Schema.optionalKey(Signatures)
})

/** A transaction that was signed. It is on the disk before anybody gets the signature. */
export const Signed = Schema.Struct({
  _tag: Schema.tag("Signed"),
  at: Schema.Number,
  tenantId: Schema.String,
  network: Schema.String,
  requests: Schema.Array(SpentRequest),
  /** What it uses up, each by a name; empty where it excludes no other transaction. */
  uses: Schema.Array(Schema.String),
  /** The SHA-256 of the unsigned bytes, in hexadecimal. */
  unsigned: Schema.String,
  /** What other unsigned bytes may have in common with it so that the signatures fit both (`twinOf`); absent where none do. */
  twin: Schema.optionalKey(Schema.String),
  hash: Schema.String,
  raw: Schema.Uint8ArrayFromBase64,
  validUntil: Schema.NullOr(Schema.Number),
  /** The most that it can cost by its bytes; absent in what was signed before this was remembered. */
  feeMax: Schema.optionalKey(Schema.BigInt),
  from: Schema.String,
  /** What it pays to others for requests that were not signed for before: what limits count. */
  paid: Schema.Array(Schema.Struct({ contract: Schema.NullOr(Schema.String), units: Schema.BigInt })),
  /** How many of the tenant's own addresses it gives coin for fees; absent for none. */
  topUps: Schema.optionalKey(Schema.Int),
  /** How far the tenant's records had come. */
  progress: Progress
})

/** A transaction that was signed, and of which the chain has proven that it never takes effect. */
export const Voided = Schema.Struct({
  _tag: Schema.tag("Voided"),
  at: Schema.Number,
  network: Schema.String,
  hash: Schema.String
})

/** Requests that were signed for before the store began, by the word of the database. */
export const Adopted = Schema.Struct({ _tag: Schema.tag("Adopted"), requests: Schema.Array(SpentRequest) })

/** The last grant of a chain that was verified: the chain never ends before it again. */
export const GrantHead = Schema.Struct({
  _tag: Schema.tag("GrantHead"),
  /** Null for the fleet. */
  tenantId: Schema.NullOr(Schema.String),
  /** Its place in the chain, from 1. */
  number: Schema.Int,
  hash: Schema.String,
  /** The grants of the chain that were first seen with it and have to be known for a while (`Cooling`), by their hashes; absent for none. */
  cooling: Schema.optionalKey(Schema.Struct({ hashes: Schema.Array(Schema.String), seenAt: Schema.Number }))
})

/** From here on a grant that is new on a chain was not there before. What stood there by then is as old as it says. */
export const GrantsWatched = Schema.Struct({ _tag: Schema.tag("GrantsWatched"), at: Schema.Number })

/** From here on the signer goes by grants: without its root, rows would decide who is paid. It says so before any chain was read. */
export const GrantsFollowed = Schema.Struct({ _tag: Schema.tag("GrantsFollowed"), at: Schema.Number })

/** A seal of the log of operators' actions, as it was given away: the next one follows on it. */
export const AuditSealed = Schema.Struct({ _tag: Schema.tag("AuditSealed"), ...AuditSeal.fields })

/** A master key that the signer was started with: no other key has its id from then on. */
export const MasterKeyKnown = Schema.Struct({
  _tag: Schema.tag("MasterKeyKnown"),
  at: Schema.Number,
  keyId: Schema.String,
  /** What the key gives, and tells nothing of it. */
  check: Schema.String
})

/** The database was seen to be older than it had been: nothing is signed from here on, until a person says that it was restored. */
export const RolledBack = Schema.Struct({
  _tag: Schema.tag("RolledBack"),
  at: Schema.Number,
  /** The tenant that showed it by its counters; absent where something else did. */
  tenantId: Schema.optionalKey(Schema.String),
  /** What else showed it. */
  what: Schema.optionalKey(Schema.String)
})

/** How far a tenant is; null where it is gone. */
const TenantNow = Schema.Struct({ tenantId: Schema.String, now: Schema.NullOr(Progress) })

/** What a person was told that the database lacks, under a name. */
export const LackTold = Schema.Struct({
  _tag: Schema.tag("LackTold"),
  at: Schema.Number,
  name: Schema.String,
  /** The SHA-256 of what these things are, in hexadecimal. */
  things: Schema.String,
  /** The tenants among them that had come further, and how far they were when this was told. */
  tenants: Schema.Array(TenantNow)
})

/** A record of the audit log that is its last. */
export const RecordLeft = Schema.Struct({ id: Schema.Int, hash: Schema.String })

/** A person's word that the database was restored: what it lacks of what was seen of it is given up. What was signed stays. */
export const Restored = Schema.Struct({
  _tag: Schema.tag("Restored"),
  at: Schema.Number,
  /** The tenants that had come further, and how far they are; null where the tenant is gone. */
  progress: Schema.Array(TenantNow),
  /** The chains of grants that had another end, each by its tenant; null for the fleet. */
  chains: Schema.Array(Schema.NullOr(Schema.String)),
  /** The last grants that these chains have instead; absent in what was given up before this was remembered, and of a chain that has none. */
  ends: Schema.optionalKey(
    Schema.Array(Schema.Struct({ tenantId: Schema.NullOr(Schema.String), number: Schema.Int, hash: Schema.String }))
  ),
  /** Whether the audit log lacks what its newest seal covers, or the record with which it was taken before. */
  sealLost: Schema.Boolean,
  /** The last record that the audit log has instead; absent where it has none, no seal is gone, or this was not remembered yet. */
  recordLeft: Schema.optionalKey(RecordLeft)
})

/** What a store remembers, one after the other. */
export const Entry = Schema.Union([
  Ahead,
  Opened,
  Adopted,
  Signed,
  Voided,
  GrantHead,
  GrantsWatched,
  GrantsFollowed,
  AuditSealed,
  MasterKeyKnown,
  RolledBack,
  LackTold,
  Restored
])

/** What a store remembers, one after the other. */
export type Entry = typeof Entry.Type

/** The entry with which a store has begun. */
export type Opened = typeof Opened.Type

/** A transaction that was signed. */
export type Signed = typeof Signed.Type

/** What a person was told that the database lacks. */
export type LackTold = typeof LackTold.Type

/** A record of the audit log that is its last. */
export type RecordLeft = typeof RecordLeft.Type

/** What a person gives up with the word that the database was restored. */
export type Restored = typeof Restored.Type

const json = Schema.fromJsonString(Schema.toCodecJson(Entry))

/** An entry as it is stored. */
export const encodeEntry = Schema.encodeSync(json)

/** The entry of a stored text. Throws where it is none. */
export const decodeEntry = Schema.decodeSync(json)
