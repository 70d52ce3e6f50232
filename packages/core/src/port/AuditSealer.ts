import { Context, type Effect, Schema } from "effect"
import type { AuditSeal } from "../audit/AuditSeal.ts"
import type { VaultError } from "./Vault.ts"

/** The log of operators' actions, or its seals, are not what the signer remembers of them. Says what is wrong. */
export class AuditBroken extends Schema.TaggedError<AuditBroken>()("AuditBroken", {
  findings: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.findings.join(" ")
  }
}

/** Whoever has the key of the seals: the signer. It reads the log itself, and believes nobody about what stands there. */
export class AuditSealer extends Context.Service<
  AuditSealer,
  {
    /**
     * The next seal to be stored: the one that was made before, as long as it is not stored, or a new one over all that was added since. Null where
     * nothing was, and where the one that was made is not after the given one, the newest that the caller sees stored: the signer cannot see it yet. What
     * is stored, it reads itself.
     */
    readonly seal: (after: number) => Effect.Effect<AuditSeal | null, AuditBroken | VaultError>
    /**
     * Looks through the whole log and all seals, and fails with what is wrong with them. The newest of these seals, null where there is none: what is
     * stored since was not looked at.
     */
    readonly verify: Effect.Effect<AuditSeal | null, AuditBroken | VaultError>
  }
>()("@bursar/core/port/AuditSealer") {}
