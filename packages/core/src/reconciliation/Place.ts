import type { AssetAccount } from "../ledger/Account.ts"
import type { Network } from "../money/Network.ts"

/** What kind of place value stands at: wallets that are paid from, addresses that deposits come to, an account at a custodian, one at a bank. */
export type PlaceKind = "payout_wallets" | "deposit_addresses" | "custodian" | "bank"

/** A place where value of the service stands and that somebody else can be asked about: what the books say of it can be wrong. */
export interface Place {
  /** Its name: `chain:ethereum:payouts`, `chain:ethereum:deposits`, `custodian:kraken`, `bank:bridge`. */
  readonly name: string
  readonly kind: PlaceKind
  /** Where it is on a network; null elsewhere. */
  readonly network: Network | null
  /** Who keeps it; null on a network. */
  readonly provider: string | null
  /** The account of the chart that it is in the books. */
  readonly account: AssetAccount
}

/** The wallets that are paid from on a network. */
export const payoutWallets = (network: Network): Place => {
  const name = `chain:${network}:payouts` as const
  return { name, kind: "payout_wallets", network, provider: null, account: name }
}

/** The addresses on a network that deposits come to and whose keys the service holds. */
export const depositAddresses = (network: Network): Place => {
  const name = `chain:${network}:deposits` as const
  return { name, kind: "deposit_addresses", network, provider: null, account: name }
}

/** The account at a provider. */
export const providerPlace = (kind: "custodian" | "bank", provider: string): Place => ({
  name: `${kind}:${provider}`,
  kind,
  network: null,
  provider,
  account: kind
})

/** What is observed by itself: a currency at a place. */
export const positionKey = (place: string, currency: string): string => `${place}|${currency}`
