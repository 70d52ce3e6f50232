import { BigInt as Big } from "effect"
import type { TenantId } from "../tenant/Tenant.ts"

/** What the accounts of a tenant hold in a currency, as far as they tell what it is owed. */
export interface OwedParts {
  /** Below zero after a credited deposit was reorged away. */
  readonly available: bigint
  readonly held: bigint
  /** On fiat accounts of the tenant's customers, those below zero left out. */
  readonly customers: bigint
  /** Given for conversions that are not done; below zero where the service is the one who waits. */
  readonly converting: bigint
  /** On addresses whose keys the tenant holds: credited, and in the tenant's own hands. */
  readonly ownAddresses: bigint
}

/** What a tenant is owed in a currency, as of one of its postings. */
export interface OwedToTenant extends OwedParts {
  readonly tenantId: TenantId
  readonly currency: string
  /** The last posting that is counted. */
  readonly posting: number
  /**
   * What arrived for the tenant's ledger and is attributed to nobody yet. It is in no leaf: it may be the tenant's, its customers', the
   * sender's, or the service's own. Below zero where something was credited before it arrived.
   */
  readonly unattributed: bigint
}

const positive = (units: bigint): bigint => Big.max(units, 0n)

/**
 * What the service owes a tenant in a currency, and has to hold. What stands below zero on one account lessens no other: a debt of the
 * tenant must not hide what its customers are owed. What is on addresses of the tenant's own keys it has already.
 */
export const owedUnits = ({ available, converting, customers, held, ownAddresses }: OwedParts): bigint =>
  positive(positive(available) + positive(held) + positive(customers) + positive(converting) - positive(ownAddresses))
