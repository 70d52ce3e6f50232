import { Context, type Effect, Schema, type Scope } from "effect"
import type { StorageError } from "../engine/StorageError.ts"

/** Another signer signs for the same service. */
export class SignerTurnTaken extends Schema.TaggedError<SignerTurnTaken>()("SignerTurnTaken", {}) {
  override get message(): string {
    return "Nothing is signed: another signer signs for this database. Two signers with two stores would each sign what the other has signed: stop one."
  }
}

/** A turn to sign that was taken. */
export interface HeldTurn {
  /** Whether it is held now. It is lost where the database ends its session, and taken again as soon as nobody else has it. */
  readonly isHeld: () => boolean
  /** How often it was taken, from 1. It grows as it is held again: meanwhile the database may have been restored, or another have taken its place. */
  readonly taken: () => number
}

/** That one signer signs for a service at a time, wherever its store is. */
export class SignerTurn extends Context.Service<
  SignerTurn,
  {
    /** Takes the turn until the scope closes. One that is just ending is waited for a little. */
    readonly take: Effect.Effect<HeldTurn, SignerTurnTaken | StorageError, Scope.Scope>
  }
>()("@bursar/core/port/SignerTurn") {}
