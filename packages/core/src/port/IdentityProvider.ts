import { Context, type Effect } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { ProviderResult } from "./ProviderResult.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { ReadHint } from "./ProviderHint.ts"

/** Where an identity check stands. */
export const verificationStatuses = [
  "NOT_STARTED",
  "PENDING",
  "IN_REVIEW",
  "ACTION_REQUIRED",
  "APPROVED",
  "REJECTED",
  "EXPIRED"
] as const

/** Where an identity check stands. */
export type VerificationStatus = (typeof verificationStatuses)[number]

/** Whom to check. `customerId` is ours, and the provider knows the person by it. */
export interface CheckOrder {
  readonly customerId: string
  readonly isBusiness: boolean
  readonly country: string | null
}

/** A check that is open, and where the person submits documents: always with the provider, never with us. */
export interface OpenedCheck {
  readonly applicantId: string
  readonly newlyCreated: boolean
  readonly status: VerificationStatus
  readonly url: string | null
  readonly urlExpiresAt: Timestamp | null
}

/** What the provider says of a person. */
export interface CheckState {
  readonly status: VerificationStatus
  /** What the person may do, such as `fiat_accounts`, `payouts`, `swaps`; empty unless approved. */
  readonly capabilities: ReadonlyArray<string>
  readonly expiresAt: Timestamp | null
  readonly environment: "production" | "sandbox" | null
  /** When the provider came to it: a later one replaces an earlier, never the other way round. */
  readonly decidedAt: Timestamp
  /** The provider does not date the state: `decidedAt` is when it was seen, which may be after the dated one that ends it. */
  readonly isUndated?: true
}

/** Who checks identities. Opening twice for a customer gives the same check. */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    readonly name: string
    /** Whether it checks real documents of real people. */
    readonly environment: Environment
    readonly open: (order: CheckOrder) => Effect.Effect<ProviderResult<OpenedCheck>>
    readonly state: (applicantId: string) => Effect.Effect<CheckState, ProviderError>
    readonly readHint: ReadHint
  }
>()("@bursar/core/port/IdentityProvider") {}
