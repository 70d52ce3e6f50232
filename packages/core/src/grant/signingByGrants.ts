import { Result } from "effect"
import type { Network } from "../money/Network.ts"
import type { KeyedAddress } from "../port/TransactionSigner.ts"
import type { Payment } from "../port/ChainSender.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { VerifiedChains } from "./Grants.ts"
import type { Ruling } from "./Ruling.ts"
import { grantedEnvironment } from "./environmentByGrants.ts"
import {
  activeWallets,
  allGranted,
  grantedPolicy,
  isStopped,
  isSuspended,
  mustAdopt,
  type TenantState
} from "./GrantState.ts"

/** Why nothing at all is signed by what the chains say; undefined where they may be gone by. */
export const chainsObjection = ({ fleet, tenant }: VerifiedChains): string | undefined =>
  mustAdopt(fleet, tenant)
    ? "the approvers have become stricter since they confirmed the tenant's grants: an adoption must be approved"
    : undefined

/** What is said where a policy was granted by a version before it named the environment. */
export const environmentUnsaid = "the granted policy does not say the tenant's environment: grant it anew"

const isNothing = (usd: string | null): boolean => usd !== null && Number(usd) === 0

/** Why nothing may be given out of hand on a network, not even coin for fees: people have stopped it, or the tenant. */
const stopObjection = ({ fleet, tenant }: VerifiedChains, network: Network): string | undefined => {
  if (isSuspended(tenant)) return "the tenant is suspended by a grant"
  return isStopped(fleet, network) ? `${network} is stopped by a grant` : undefined
}

/**
 * Why an address is given no coin for fees; undefined where it may be, and where rows decide. One whose key was imported is given none while
 * the tenant or the network is stopped: somebody outside may have its key.
 */
export const coinObjection = (
  ruling: Ruling,
  network: Network,
  key: { readonly _tag: KeyedAddress["key"]["_tag"] }
): string | undefined => {
  if (ruling === undefined || key._tag !== "Imported") return undefined
  return "_tag" in ruling ? ruling.message : stopObjection(ruling, network)
}

/**
 * Why a tenant may pay nobody on a network; undefined where it may. Limits in US dollars take a price, which no grant has: only those of
 * nothing at all are looked at here.
 */
export const leavingObjection = (chains: VerifiedChains, network: Network): string | undefined => {
  const stopped = stopObjection(chains, network)
  if (stopped !== undefined) return stopped
  const { tenant } = chains
  const policy = grantedPolicy(tenant)
  if (policy === undefined) return "no policy was granted to the tenant, so nothing may leave"
  if (grantedEnvironment(tenant) === undefined) return environmentUnsaid
  if (!policy.payoutsEnabled) return "the granted policy has chain payouts off"
  if (policy.payoutsOffOn.includes(network)) return `the granted policy has chain payouts on ${network} off`
  return isNothing(policy.payoutLimitUsd) || isNothing(policy.payoutDailyLimitUsd)
    ? "the granted policy has a limit of 0 US dollars"
    : undefined
}

/**
 * The public keys of a partner that are granted and not revoked, each from the moment that its grant was proposed: that moment is part of
 * what people have signed. One that was revoked counts for nothing, whatever an operator has approved since: that approval is a row.
 */
export const grantedSigningKeys = (tenant: TenantState): ReadonlyArray<SigningKey> =>
  allGranted(tenant, "signing_key").flatMap(({ document, values }) =>
    values.state === "REVOKED"
      ? []
      : {
          tenantId: tenant.tenantId,
          apiKeyId: values.api_key_id,
          keyid: values.keyid,
          publicKey: values.public_key,
          createdAt: Date.parse(document.proposed_at),
          revokedAt: null
        }
  )

/** What payments to the tenant's own keys are judged by. */
export interface OwnPayments {
  readonly chains: VerifiedChains
  readonly network: Network
  /** The canonical form of an address. */
  readonly parse: (text: string) => Result.Result<string, string>
  /** Addresses that were derived from the tenant's own keys. */
  readonly own: ReadonlyMap<string, KeyedAddress>
  readonly payments: ReadonlyArray<Payment>
}

/**
 * Why payments to the tenant's own keys may not be made; undefined where they may. They go to wallets that are granted. An issued or imported
 * address may be given coin for fees alone (see `coinObjection`); how much is for whoever signs.
 */
export const ownPaymentObjection = ({ chains, network, own, parse, payments }: OwnPayments): string | undefined => {
  const wallets = new Set(
    activeWallets(chains.tenant, network).map(({ address }) => Result.getOrElse(parse(address), () => address))
  )
  for (const { contract, to } of payments) {
    const keyed = own.get(to)
    if (keyed === undefined || wallets.has(to)) continue
    const isWallet = keyed.key._tag === "Wallet" || keyed.key._tag === "Custodied"
    if (isWallet || contract !== null) return `${to} on ${network} is no wallet that was granted to the tenant`
    const stopped = coinObjection(chains, network, keyed.key)
    if (stopped !== undefined) return stopped
  }
  return undefined
}
