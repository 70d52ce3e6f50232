import type { Network, NetworkTraits } from "@bursar/core/money/Network"
import type { Payment } from "@bursar/core/port/ChainSender"
import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"

/** What the tenant's own keys may be given on a network, beside its wallets. */
export interface OwnRules {
  readonly network: Network
  readonly traits: Pick<NetworkTraits, "limits" | "provisioned">
}

/** An address that is said to have several keys is a wallet's by none of them: whoever brings the transaction says so. */
const isWallet = (keys: ReadonlyArray<KeyedAddress>): boolean =>
  keys.every(({ key }) => key._tag === "Wallet" || key._tag === "Custodied")

/** How many payments give coin to addresses of the tenant's own keys that are no wallets. */
export const topUpsIn = (payments: ReadonlyArray<Payment>, own: ReadonlyArray<KeyedAddress>): number =>
  payments.filter(({ to }) => !isWallet(own.filter(({ address }) => address === to))).length

/**
 * Why payments to addresses of the tenant's own keys may not be made; undefined where they may. Its wallets may be paid anything: sweeps and
 * change go there. An issued or imported address may be given coin for fees and nothing else: somebody outside may have an imported key,
 * and what arrives at an issued address counts as a deposit.
 */
export const ownObjection = (
  { network, traits: { limits, provisioned } }: OwnRules,
  payments: ReadonlyArray<Payment>,
  own: ReadonlyArray<KeyedAddress>
): string | undefined => {
  // an account that has to be made is given its reserve, which comes to less than the cap on fees
  const max = provisioned ? limits.feeMax : limits.topUpMax
  for (const { contract, to, units } of payments) {
    if (isWallet(own.filter(({ address }) => address === to))) continue
    if (contract !== null) return `it pays ${contract} to ${to} on ${network}, which is none of the tenant's wallets`
    if (units > max) return `it gives ${units} to ${to} on ${network}; an address is given ${max} at most`
  }
  return undefined
}
