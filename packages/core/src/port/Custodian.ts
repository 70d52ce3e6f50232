import { Context, type Effect } from "effect"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import type { Answer } from "./Answer.ts"
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
  | { readonly _tag: "Settled"; readonly providerReference: string; readonly received: Amount }
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
 * A custodian without references of ours finds an order by what it looks like. A `providerReference` that another of our
 * orders already holds is therefore no answer for this one: whoever asks treats it as `Unknown`.
 */
export class Custodian extends Context.Service<
  Custodian,
  {
    /** Its name, as it is shown in the register. */
    readonly name: string
    readonly assets: Effect.Effect<ReadonlyArray<CustodianAsset>, ProviderError>
    readonly pairs: Effect.Effect<ReadonlyArray<CustodianPair>, ProviderError>
    /** What it holds, by currency, in base units. Each currency of a pool shows what the whole pool holds. */
    readonly balances: Effect.Effect<ReadonlyMap<string, bigint>, ProviderError>
    /**
     * Who pays for the network: the `RECEIVER`, who gets the amount of a withdrawal less the fee, or the `SERVICE`, whose
     * holding falls by the amount and the fee.
     */
    readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
    /** What it takes for the network; null where it is not known. */
    readonly withdrawalFee: (currency: string, network: Network) => Effect.Effect<Amount | null>
    readonly convert: (order: ConvertOrder) => Effect.Effect<Answer<ConversionState>>
    /** `providerReference` is null where the order's answer was never seen. */
    readonly conversion: (
      order: ConvertOrder,
      providerReference: string | null
    ) => Effect.Effect<Answer<ConversionState>>
    readonly withdraw: (order: WithdrawOrder) => Effect.Effect<Answer<WithdrawalState>>
    readonly withdrawal: (
      order: WithdrawOrder,
      providerReference: string | null
    ) => Effect.Effect<Answer<WithdrawalState>>
  }
>()("@bursar/core/port/Custodian") {}
