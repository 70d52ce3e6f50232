import type { Account, Resources } from "./readAccount.ts"
import type { Prices } from "./readPrices.ts"

/** What a transfer of TRX costs in sun, its receiver being active or not. */
export const nativeCost = (
  prices: Prices,
  resources: Resources,
  receiver: Account | null,
  bandwidth: bigint
): bigint => {
  if (receiver !== null) return bandwidthCost(prices, resources, bandwidth)
  return prices.activation + (resources.stakedBandwidth >= bandwidth ? 0n : prices.activationBandwidth)
}

/** What the bandwidth of a transaction costs: nothing where one of the two kinds is enough for all of it. */
export const bandwidthCost = (prices: Prices, resources: Resources, bandwidth: bigint): bigint =>
  resources.stakedBandwidth >= bandwidth || resources.freeBandwidth >= bandwidth ? 0n : bandwidth * prices.bandwidth

/** What a call costs that takes so much energy, beyond what is staked. */
export const energyCost = (prices: Prices, resources: Resources, energy: bigint): bigint =>
  (energy > resources.energy ? energy - resources.energy : 0n) * prices.energy

/** An account that may use nothing without paying. */
export const noResources: Resources = { energy: 0n, stakedBandwidth: 0n, freeBandwidth: 0n }

/** Energy of a token transfer to a receiver who holds the token, and to one who does not, as USDT takes it. */
export const energyOfTransfer = { holding: 65_000n, first: 131_000n }

/** What is added to an estimate of energy: the price of a busy contract rises between two blocks. */
export const withMargin = (energy: bigint): bigint => (energy * 12n + 9n) / 10n
