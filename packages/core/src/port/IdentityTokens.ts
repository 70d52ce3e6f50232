import { Context, type Effect, Schema } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"

/** What an identity provider has signed about a person. */
export interface VerifiedToken {
  readonly issuer: string
  /** Who it is, as the provider knows the person for good. Names and mail addresses change; this does not. */
  readonly subject: string
  readonly issuedAt: Timestamp
  /** From when on it is not taken any more: its own expiry, or an earlier one where the service takes no token for as long. */
  readonly expiresAt: Timestamp
  /** Everything that the token says. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** A token that proves nothing here. Asking again with the same token helps nothing. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  reason: Schema.String,
  /** Whom the provider signed it for; null where its signature was not found right. */
  subject: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.reason
  }
}

/** The provider's keys are not known, and cannot be read now. Whether the token is right is not known either. */
export class IdentityUnavailable extends Schema.TaggedError<IdentityUnavailable>()("IdentityUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** Verifies tokens of one identity provider: who it says that somebody is, and not what that person may do here. */
export interface TokenVerifier {
  readonly verify: (token: string) => Effect.Effect<VerifiedToken, TokenRefused | IdentityUnavailable>
}

/** The identity provider of operators; null where there is none. Whoever signs people in asks it: the operator port by bearer tokens. */
export const IdentityTokens = Context.Reference<TokenVerifier | null>("@bursar/core/port/IdentityTokens", {
  defaultValue: () => null
})
