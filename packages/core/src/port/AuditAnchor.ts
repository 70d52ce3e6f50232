import { type Effect, Schema } from "effect"
import type { AuditSeal } from "../audit/AuditSeal.ts"
import type { AuditBroken } from "./AuditSealer.ts"

/** A seal could not be put down outside. */
export class AnchorFailed extends Schema.TaggedError<AnchorFailed>()("AnchorFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** A place outside the database where seals of the log of operators' actions are put down. */
export interface AuditAnchor {
  /** What messages call it. */
  readonly name: string
  /** Puts the newest seal down. One that is there already is not put down again; one that contradicts what is there fails. */
  readonly put: (seal: AuditSeal) => Effect.Effect<void, AnchorFailed | AuditBroken>
}

/** What stands in an anchor that can be read back. */
export interface AnchorContent {
  readonly seals: ReadonlyArray<AuditSeal>
  /** What was removed or overwritten there, in words. */
  readonly findings: ReadonlyArray<string>
}
