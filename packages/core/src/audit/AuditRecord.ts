import type { Timestamp } from "../base/Timestamp.ts"

/** What an action was asked to do, and what it did. */
export interface ActionContent {
  /** SHA-256 of the body of the request, lower-case hexadecimal. */
  readonly digest: string
  /** JSON without secrets: before the action what was asked for, after it what was changed, each with its values before and after. */
  readonly values: string
}

/** Something that an operator does, or has done, as it is written down. */
export interface OperatorAction {
  /** The same in both records of an action: the one before it was done and the one after. */
  readonly actionId: string
  readonly at: Timestamp
  readonly operator: string
  readonly role: string
  readonly method: string
  /** The template of the path, never what stood in a body or a query. */
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  /** The HTTP status of the outcome; null in the record before. */
  readonly status: number | null
  readonly requestId: string
  /** The client's address; the empty text where there is no socket. */
  readonly address: string
  /** Null in records of a version that did not keep it. */
  readonly content: ActionContent | null
}

/** A link of the chain: an action with its place, and the hash over both and the link before. */
export interface AuditRecord extends OperatorAction {
  /** Counts up from 1 without a gap. */
  readonly id: number
  /** The hash of the link before; `firstHash` in the first. */
  readonly previousHash: string
  readonly hash: string
}

/** What the first link names as the one before. */
export const firstHash = "0".repeat(64)
