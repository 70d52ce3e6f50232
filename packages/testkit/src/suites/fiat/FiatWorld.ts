import type { Amount } from "@bursar/core/money/Amount"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ProviderRequest } from "@bursar/core/port/ProviderHint"
import { Context, type Effect } from "effect"
import type { ProviderFault } from "../../fixtures/ProviderFault.ts"

/**
 * What becomes of the next transfer: it arrives, arrives in dollars (`dollarsReceived`), never leaves, comes back after it had arrived, whole or in part
 * (`partReturned`), or waits for a person; waits for what `payIn` brings; the same with the answer to the order lost; it is heard of no more; or the
 * provider will not have it.
 */
export type TransferFate =
  | "settle"
  | "convert"
  | "fail"
  | "return"
  | "return_part"
  | "in_review"
  | "await"
  | "lost_then_settle"
  | "lost_then_fail"
  | "never"
  | "refuse"

/** How much of a transfer comes back that comes back in part, as a decimal text. */
export const partReturned = "70.00"

/** How many dollars arrive of a transfer that is converted, as a decimal text. */
export const dollarsReceived = "162.37"

/** What the suite is told of a fiat provider. */
export interface FiatTerms {
  /** For how long after its intent was recorded an order is sent: at most a quarter of `absentAfterMs`. */
  readonly sendWithinMs: number
  /** From when on an order that is not found was never taken. */
  readonly absentAfterMs: number
  /**
   * What the world can show: a provider that can be broken (`faults`), whom a transfer pays and on whose behalf (`payees`), and transfers in euro of which
   * dollars arrive (`conversions`).
   */
  readonly has: ReadonlyArray<"faults" | "payees" | "conversions">
  /** In which currencies it has accounts and makes transfers, beside euro. A transfer in dollars pays an account by its routing number, one in pounds by its sort code. */
  readonly currencies: ReadonlyArray<"USD" | "GBP">
  /** How many transfers, or payments to an account, it lists at once; 0 where it lists all of them. The suite makes one more. */
  readonly pageSize: number
}

/** Whom a transfer pays, as the provider itself has it. */
export interface ReceivedPayee {
  /** The IBAN, or the account number where there is none. */
  readonly account: string | null
  /** In which currency it is paid. */
  readonly currency: string
  /** The provider's id of the customer on whose behalf; null where it is the tenant itself. */
  readonly onBehalfOf: string | null
}

/** A transfer as the provider itself has it. */
export interface ReceivedTransfer {
  /** What leaves. */
  readonly amount: Amount
  /** Null where the world cannot tell. */
  readonly payee: ReceivedPayee | null
}

/** The cents of a decimal amount. */
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
    /**
     * Lets an amount in euro, as a decimal text, be paid in for the ON_RAMP of a reference, and gives the IBAN that it comes from; null where the provider does not
     * tell. `conclude` lets the payer's bank take some of it back then, where that is its fate.
     */
    readonly payIn: (reference: string, amount: string) => Effect.Effect<string | null>
    /** Lets an amount in the account's currency, as a decimal text, arrive on an account, and gives the id of the payment. */
    readonly arrive: (providerAccountId: string, amount: string, description: string) => Effect.Effect<string>
    /** A genuine webhook about the transfer of a reference. */
    readonly webhook: (reference: string) => Effect.Effect<ProviderRequest>
    /** Lets the provider misbehave until `heal`. */
    readonly breakProvider: (fault: ProviderFault) => Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/fiat/FiatWorld") {}
