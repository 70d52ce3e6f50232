import type { Prices } from "./readPrices.ts"
import { bandwidthOf, encodeRaw, type RawTransaction } from "./RawTransaction.ts"

/** The most that the network may ask: beyond it nothing is built. Sun. */
export interface PriceCaps {
  /** For a byte of bandwidth that is burnt for. Default 1,000, which it has been since 2021. */
  readonly bandwidthPriceMax: bigint
  /** For making a receiver's account active. Default 1,100,000. */
  readonly activationMax: bigint
}

/** The prices of the main network. */
export const priceCapsDefault: PriceCaps = { bandwidthPriceMax: 1_000n, activationMax: 1_100_000n }

/** Whether the network asks more for bandwidth or for a new account than is allowed. */
export const areBeyond = (
  { activation, activationBandwidth, bandwidth }: Prices,
  { activationMax, bandwidthPriceMax }: PriceCaps
): boolean => bandwidth > bandwidthPriceMax || activation + activationBandwidth > activationMax

/** The most that a transaction can cost, told from its bytes alone: any receiver of TRX may turn out not to be active. */
export const feeCeiling = (raw: RawTransaction, { activationMax, bandwidthPriceMax }: PriceCaps): bigint =>
  bandwidthOf(encodeRaw(raw)) * bandwidthPriceMax + (raw.action._tag === "Native" ? activationMax : raw.feeLimit)
