import { Context, type Effect } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import type { Decimal } from "../money/Rate.ts"
import type { ReadStatement } from "./ProviderStatement.ts"
import type { ProviderResult } from "./ProviderResult.ts"
import type { ProviderError } from "./ProviderError.ts"

/** Two currencies that the custodian converts now. */
export interface CustodianPair {
  readonly from: string
  readonly to: string
  /** The least of `from` that it converts; null where it says nothing. */
  readonly minimum: Amount | null
  /** An amount of `from` must be a multiple of it, or it is refused; null where any amount will do. */
  readonly step: Amount | null
}

/** A currency that the custodian holds. */
export interface CustodianAsset {
  readonly currency: string
  readonly withdrawable: boolean
  /** Currencies of one pool are one holding at the custodian, such as a dollar token that it pays out on many networks. */
  readonly pool: string
}

/** A conversion to make. `reference` is ours, one for each conversion for ever: a UUID. */
export interface ConvertOrder {
  readonly reference: string
  /** When the intent to send it was recorded: no earlier than that, and not long after, the custodian may have taken it. */
  readonly sentAt: Timestamp
  readonly amount: Amount
  readonly to: string
}

/** A withdrawal to make. `reference` is ours, one for each withdrawal for ever: a UUID. */
export interface WithdrawOrder {
  readonly reference: string
  /** When the intent to send it was recorded: no earlier than that, and not long after, the custodian may have taken it. */
  readonly sentAt: Timestamp
  readonly amount: Amount
  readonly network: Network
  readonly address: string
  readonly memo: string | null
}

/** What became of a conversion. */
export type ConversionState =
  | { readonly _tag: "Pending"; readonly providerReference: string }
  | {
      readonly _tag: "Settled"
      readonly providerReference: string
      /** What its holding of the target grew by: a fee that was taken from it is not in it. */
      readonly received: Amount
      /**
       * What it took of the source for the order: what it sold, and fees that it took out of the ordered amount; absent where it does not tell. Never
       * more than the order. What is left of that it still holds.
       */
      readonly sold?: Amount
      /**
       * Fees that it took from other holdings than what was received: from the source on top of the amount that was sold, or
       * from a currency that had no part in it. Each of those holdings fell by that much more. Absent where it tells of
       * none; a list of none says that there are none, and takes back what it had told of them.
       */
      readonly feesBeside?: ReadonlyArray<Amount>
    }
  | { readonly _tag: "Failed"; readonly providerReference: string | null; readonly reason: string }

/** What became of a withdrawal. */
export type WithdrawalState =
  | { readonly _tag: "Pending"; readonly providerReference: string; readonly txHash: string | null }
  | {
      readonly _tag: "Settled"
      readonly providerReference: string
      readonly txHash: string | null
      /** As the custodian reports it; null is not zero. */
      readonly networkFee: Amount | null
    }
  | { readonly _tag: "Failed"; readonly providerReference: string | null; readonly reason: string }

/**
 * Where value is held, converted and withdrawn from. Calls that move value carry our own reference, are sent once, and
 * answer in three ways; after `Unknown` the state is asked by that reference until it is known. A state that is asked
 * answers `Refused` only where the custodian certainly never took the order, such as an exhaustive search by our reference
 * that finds nothing once no order can be in flight any more.
 *
 * A worker may freeze between recording the intent and sending, until others were told that the order was never taken.
 * Therefore no order is sent whose `sentAt` lies further back than a bound of the adapter, which ends well before an absence
 * begins to count: such an order is `Refused`, unsent. An order that the adapter knows to be taken is answered all the same.
 *
 * A custodian without references of ours finds an order by what it looks like. A `providerReference` that another of our
 * orders already holds is therefore no answer for this one: whoever asks treats it as `Unknown`, and so one of more than 255 characters.
 */
export class Custodian extends Context.Service<
  Custodian,
  {
    /** Its name, as it is shown in the register. */
    readonly name: string
    /** Whether what it holds is real. */
    readonly environment: Environment
    readonly assets: Effect.Effect<ReadonlyArray<CustodianAsset>, ProviderError>
    readonly pairs: Effect.Effect<ReadonlyArray<CustodianPair>, ProviderError>
    /** What it holds, by currency, in base units. Each currency of a pool shows what the whole pool holds. */
    readonly balances: Effect.Effect<ReadonlyMap<string, bigint>, ProviderError>
    /** The lines of its own books; absent where it has no interface that tells them. */
    readonly statement?: ReadStatement
    /**
     * Who pays for the network: the `RECEIVER`, who gets the amount of a withdrawal less the fee, or the `SERVICE`, whose
     * holding falls by the amount and the fee.
     */
    readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
    /** What it takes for the network; null where it is not known. */
    readonly withdrawalFee: (currency: string, network: Network) => Effect.Effect<Amount | null>
    /**
     * The share of what is received that it keeps of a conversion now: 0.0026 for 26 hundredths of a percent. Zero only where
     * it is known to keep nothing; null where it is not known, and then nothing can be promised.
     */
    readonly conversionFee: (from: string, to: string) => Effect.Effect<Decimal | null>
    readonly convert: (order: ConvertOrder) => Effect.Effect<ProviderResult<ConversionState>>
    /** `providerReference` is null where the order's answer was never seen. */
    readonly conversion: (
      order: ConvertOrder,
      providerReference: string | null
    ) => Effect.Effect<ProviderResult<ConversionState>>
    readonly withdraw: (order: WithdrawOrder) => Effect.Effect<ProviderResult<WithdrawalState>>
    readonly withdrawal: (
      order: WithdrawOrder,
      providerReference: string | null
    ) => Effect.Effect<ProviderResult<WithdrawalState>>
  }
>()("@bursar/core/port/Custodian") {}
