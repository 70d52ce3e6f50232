import { Context, type Effect, type Redacted } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { ReadStatement } from "./ProviderStatement.ts"
import type { ProviderResult } from "./ProviderResult.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { ReadHint } from "./ProviderHint.ts"

/** Who a person is, as it is forwarded to the provider: never stored, never logged. */
export interface Identity {
  readonly firstName: string
  readonly middleName: string | null
  readonly lastName: string
  readonly dateOfBirth: string
  readonly documentKind: string
  readonly documentNumber: string
  readonly documentCountry: string
  readonly documentIssued: string | null
  readonly documentExpires: string | null
  readonly residence: {
    readonly street: string | null
    readonly city: string | null
    readonly postcode: string | null
    readonly state: string | null
    readonly country: string | null
  }
  readonly email: string | null
  readonly phone: string | null
}

/** Registers a person. `reference` is our customer's id. */
export interface RegisterOrder {
  readonly reference: string
  readonly isBusiness: boolean
  readonly identity: Redacted.Redacted<Identity>
}

/** Opens an account in a customer's name. `reference` is our account's id. */
export interface AccountOrder {
  readonly reference: string
  readonly providerCustomerId: string
  readonly currency: string
  readonly country: string | null
}

/** Where an account of the provider stands, and how money reaches it. */
export interface AccountState {
  /** Opaque; the provider's adapter finds the account by it alone. It has at most 255 characters. */
  readonly providerAccountId: string
  readonly status: "PENDING" | "ACTIVE" | "REJECTED" | "SUSPENDED" | "CLOSED"
  readonly holderName: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  /** What names the bank beside an account number: a British sort code, an American routing number. */
  readonly sortCode: string | null
  readonly bic: string | null
  readonly bankName: string | null
  readonly expiresAt: Timestamp | null
}

/** To whom money goes. Which of the fields stand says how: IBAN, sort code and account number, or routing and account number. */
export interface Payee {
  readonly name: string
  readonly country: string | null
  readonly holderType: "INDIVIDUAL" | "BUSINESS"
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly routingNumber: string | null
  readonly bic: string | null
  readonly bankName: string | null
  readonly purpose: string | null
}

/** A transfer to make. `reference` is our operation's id, one for each transfer for ever: a UUID. */
export interface TransferOrder {
  readonly reference: string
  /**
   * When the operation was made: the provider has nothing of it from before. A database that was restored no longer knows that an order was sent, so
   * only an order of an operation that is new is certainly sent for the first time.
   */
  readonly madeAt: Timestamp
  /** When the intent to send it was recorded: no earlier than that, and not long after, the provider may have taken it. */
  readonly sentAt: Timestamp
  readonly kind: "OFF_RAMP" | "BANK_TRANSFER" | "REFUND" | "ON_RAMP"
  /** What leaves us; for an ON_RAMP what is to arrive. */
  readonly amount: Amount
  /** What the receiver is to get, where it is another currency. */
  readonly toCurrency: string | null
  /** On behalf of which of the provider's customers; null for the tenant itself. */
  readonly providerCustomerId: string | null
  readonly payee: Payee | null
  readonly rail: string | null
}

/** Whose account money came from, as far as the provider tells. A refund goes there and nowhere else. */
export interface Sender {
  readonly name: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly routingNumber: string | null
  readonly bic: string | null
}

/** What became of a transfer. An amount that is null, or zero, is not known: nothing is booked on it, and it contradicts nothing. */
export interface TransferState {
  /** The provider's id of the order, which stays the same: an answer with another one is none, and so is one with more than 255 characters. */
  readonly providerReference: string
  readonly status:
    | "AWAITING_FUNDS"
    | "IN_REVIEW"
    | "PROCESSING"
    | "SENT"
    | "SETTLED"
    | "FAILED"
    | "RETURNED"
    | "UNRESOLVED"
  /** What the receiver got; for an ON_RAMP what arrived, before any fee of ours. */
  readonly received: Amount | null
  /**
   * All that has come back so far, in the currency of the order's amount; for an ON_RAMP what the payer's bank took back of what
   * arrived. Told with RETURNED, from the first part that comes back.
   */
  readonly returned: Amount | null
  /** Who paid in what arrived for an ON_RAMP; null where the provider does not tell, and for what is paid out. */
  readonly sender: Sender | null
  /** Why it failed or came back. */
  readonly reason: string | null
}

/** Money that arrived on an account of the provider. */
export interface Incoming {
  /** The provider's id of the payment: one entry for each, for ever. It has at most 255 characters. */
  readonly id: string
  readonly providerAccountId: string
  readonly amount: Amount
  readonly description: string
  readonly arrivedAt: Timestamp
}

/**
 * Who moves fiat. Calls that move value carry our own reference, are sent once, and answer in three ways; after `Unknown`
 * the transfer is asked by that reference until it is known. A transfer that is asked answers `Refused` only where the
 * provider certainly never took the order: an exhaustive search for our reference found nothing, and no order can be in
 * flight any more. Registering a person or opening an account again under the same reference gives the same one.
 */
export class FiatProvider extends Context.Service<
  FiatProvider,
  {
    readonly name: string
    /** Whether it moves real money. */
    readonly environment: Environment
    /** `newlyRegistered` is false where the provider says that it had the customer; one that does not say so tells true. */
    readonly register: (
      order: RegisterOrder
    ) => Effect.Effect<ProviderResult<{ readonly providerCustomerId: string; readonly newlyRegistered: boolean }>>
    readonly openAccount: (order: AccountOrder) => Effect.Effect<ProviderResult<AccountState>>
    readonly account: (providerAccountId: string) => Effect.Effect<AccountState, ProviderError>
    /**
     * What arrived on an account, oldest first, after the payment of an id; from the beginning where it is null. It may tell again of what came before:
     * each payment is booked once. A provider that may list a payment after a later one has to, or nobody hears of that payment.
     */
    readonly incoming: (
      providerAccountId: string,
      after: string | null
    ) => Effect.Effect<ReadonlyArray<Incoming>, ProviderError>
    readonly send: (order: TransferOrder) => Effect.Effect<ProviderResult<TransferState>>
    /** What became of an order. `providerReference` is null where the order's answer was never seen. */
    readonly transfer: (
      order: TransferOrder,
      providerReference: string | null
    ) => Effect.Effect<ProviderResult<TransferState>>
    /** What it holds for the service, by currency, in base units; absent where it does not tell. */
    readonly balances?: Effect.Effect<ReadonlyMap<string, bigint>, ProviderError>
    /** The lines of its own books; absent where it has no interface that tells them. */
    readonly statement?: ReadStatement
    readonly readHint: ReadHint
  }
>()("@bursar/core/port/FiatProvider") {}
