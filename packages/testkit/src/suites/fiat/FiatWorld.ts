import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ProviderRequest } from "@bursar/core/port/ProviderHint"
import { Context, type Effect } from "effect"
import type { ProviderFault } from "../../fixtures/ProviderFault.ts"

/**
 * What becomes of the next transfer: it arrives, never leaves, comes back after it had arrived, whole or in part
 * (`partReturned`), or waits for a person; the same with the answer to the order lost; it is heard of no more; or the provider will not have it.
 */
export type TransferFate =
  | "settle"
  | "fail"
  | "return"
  | "return_part"
  | "in_review"
  | "lost_then_settle"
  | "lost_then_fail"
  | "never"
  | "refuse"

/** How much of a transfer comes back that comes back in part, as a decimal text. */
export const partReturned = "70.00"

/** What the suite is told of a fiat provider. */
export interface FiatTerms {
  /** For how long after its intent was recorded an order is sent: at most a quarter of `absentAfterMs`. */
  readonly sendWithinMs: number
  /** From when on an order that is not found was never taken. */
  readonly absentAfterMs: number
  /** What the world can show: a provider that can be broken (`faults`), and whom a transfer pays (`payees`). */
  readonly has: ReadonlyArray<"faults" | "payees">
}

/** A transfer as the provider itself has it. */
export interface ReceivedTransfer {
  /** In base units. */
  readonly units: bigint
  /** The IBAN that it pays; null where there is none, or the world cannot tell. */
  readonly iban: string | null
}

/** The cents of a decimal amount in euro. */
export const centsOf = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(2, "0"))
}

/** A fiat provider that a test can move, with the adapter under test. A failure of the world itself is a defect. */
export class FiatWorld extends Context.Service<
  FiatWorld,
  {
    readonly provider: FiatProvider["Service"]
    /** What becomes of the next transfer that is sent. */
    readonly next: (fate: TransferFate) => Effect.Effect<void>
    /** Lets the transfer of a reference come to the end of its fate. */
    readonly conclude: (reference: string) => Effect.Effect<void>
    /** The transfers that the provider has of a reference. */
    readonly transfers: (reference: string) => Effect.Effect<ReadonlyArray<ReceivedTransfer>>
    /** Gives an account its details. */
    readonly activate: (providerAccountId: string) => Effect.Effect<void>
    /** Lets an amount in euro, as a decimal text, arrive on an account, and gives the id of the payment. */
    readonly arrive: (providerAccountId: string, amount: string, description: string) => Effect.Effect<string>
    /** A genuine webhook about the transfer of a reference. */
    readonly webhook: (reference: string) => Effect.Effect<ProviderRequest>
    /** Lets the provider misbehave until `heal`. */
    readonly breakProvider: (fault: ProviderFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/fiat/FiatWorld") {}
