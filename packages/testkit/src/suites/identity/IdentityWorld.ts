import type { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import type { ProviderRequest } from "@bursar/core/port/ProviderHint"
import { Context, type Effect } from "effect"
import type { ProviderFault } from "../../fixtures/ProviderFault.ts"

/** What a provider may come to: approved, rejected for good, rejected so far, or taken up by a person. */
export type Verdict = "approve" | "reject" | "retry" | "review"

/** What a world can show: a provider that can be broken (`faults`), and approvals that end (`ends`). */
export type IdentityFeature = "faults" | "ends"

/** An identity provider that a test can move, with the adapter under test. What it does not have may die, if the suite is told so. A failure of the world itself is a defect. */
export class IdentityWorld extends Context.Service<
  IdentityWorld,
  {
    readonly provider: IdentityProvider["Service"]
    /** Comes to a verdict, later than to any before. */
    readonly decide: (applicantId: string, verdict: Verdict) => Effect.Effect<void>
    /** How many applicants there are for a customer of ours. */
    readonly applicants: (customerId: string) => Effect.Effect<number>
    /** Whether the provider checks a customer of ours as a business. */
    readonly isBusiness: (customerId: string) => Effect.Effect<boolean>
    /** Ends the approval of an applicant, as its time or somebody at the provider does. */
    readonly end: (applicantId: string) => Effect.Effect<void>
    /** A genuine webhook about an applicant. */
    readonly webhook: (applicantId: string) => Effect.Effect<ProviderRequest>
    /** Lets the provider misbehave until `heal`. */
    readonly breakProvider: (fault: ProviderFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/identity/IdentityWorld") {}
