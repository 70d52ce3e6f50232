import { Context, type Effect } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/** What a secret lets in: a link signs a person in once, a session lets a browser act for a while. */
export type OperatorPassKind = "LINK" | "SESSION"

/** A secret that lets an operator in, by its digest: what is stored opens nothing. */
export interface OperatorPass {
  /** SHA-256 of the secret, lower-case hexadecimal. */
  readonly digest: string
  readonly kind: OperatorPassKind
  readonly operator: string
  /** How the operator had proven who it is when the pass was made. */
  readonly credential: string
  /**
   * A MAC over all the rest and over the credential itself, under a key that only servers have: nobody who writes to the database makes a
   * pass or changes one, and a pass ends with the credential that it stands on.
   */
  readonly seal: string
  /** The role at that time: a pass never gives more. */
  readonly role: string
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
  /** Until when the credential was good, by what was known of it then: a session that a link begins ends with it. Null where it has no end. */
  readonly credentialExpiresAt: Timestamp | null
}

/** The links and sessions of operators in browsers, of all server processes. */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /** Keeps a pass, and forgets those that expired before it was made. */
    readonly add: (pass: OperatorPass) => Effect.Effect<void, StorageError>
    /** The pass of a digest, whether it has expired or not; undefined where there is none. */
    readonly find: (digest: string) => Effect.Effect<OperatorPass | undefined, StorageError>
    /** Takes a pass of a kind away and says what it was: of several who take the same one, one gets it. One of another kind stays. */
    readonly take: (digest: string, kind: OperatorPassKind) => Effect.Effect<OperatorPass | undefined, StorageError>
    /** The sessions that have not expired at a moment, newest first. Links are not among them. */
    readonly open: (now: Timestamp) => Effect.Effect<ReadonlyArray<OperatorPass>, StorageError>
    /** Ends every link and session of an operator. */
    readonly endAll: (operator: string) => Effect.Effect<void, StorageError>
  }
>()("@bursar/core/port/OperatorSessions") {}
