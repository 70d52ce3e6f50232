import { Effect, Schema } from "effect"
import { sha256Hex } from "../base/sha256.ts"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { firstHash } from "./AuditRecord.ts"

/**
 * The signer's word that the log of operators' actions went so far, and that it was what a hash says. Only the signer has the key: who owns
 * the database can make the log anew with all its hashes, but no seal of it.
 */
export const AuditSeal = Schema.Struct({
  /** Counts up from 1 without a gap. */
  number: Schema.Int,
  /** The first record that the seal before does not cover. */
  fromId: Schema.Int,
  /** The last record that it covers. */
  toId: Schema.Int,
  /** The hash of that record, which stands for all before it. */
  hash: Schema.String,
  /** Unix milliseconds. */
  at: Schema.Int,
  /** The master key that the key of the seal was derived from. */
  keyId: Schema.String,
  /** The digest of the seal before (`digestOf`); `firstHash` in the first. */
  previous: Schema.String,
  /** HMAC-SHA-256 of `sealText`, lower-case hexadecimal. */
  mac: Schema.String
})

/** The signer's word that the log of operators' actions went so far, and that it was what a hash says. */
export type AuditSeal = typeof AuditSeal.Type

/** What a seal is made over, as JSON: every field, in this order. Another order would break every seal that is stored. */
export const sealText = (seal: Omit<AuditSeal, "mac">): string =>
  JSON.stringify([
    "bursar audit seal v1",
    seal.number,
    seal.fromId,
    seal.toId,
    seal.hash,
    toIso(seal.at),
    seal.keyId,
    seal.previous
  ])

/** What the next seal names as the one before: it stands for that seal with its MAC, and for all seals before it. */
export const digestOf = (seal: AuditSeal): Effect.Effect<string> => sha256Hex(`${sealText(seal)}\n${seal.mac}`)

/** What is still to be put under the seal that follows on another. */
export const nextSeal = Effect.fnUntraced(function* (
  last: AuditSeal | undefined,
  head: { readonly id: number; readonly hash: string },
  made: { readonly at: Timestamp; readonly keyId: string }
) {
  return {
    number: (last?.number ?? 0) + 1,
    fromId: (last?.toId ?? 0) + 1,
    toId: head.id,
    hash: head.hash,
    at: made.at,
    keyId: made.keyId,
    previous: last === undefined ? firstHash : yield* digestOf(last)
  } satisfies Omit<AuditSeal, "mac">
})
