import type { Brand } from "effect"
import type { Environment } from "../base/Environment.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"

/** The identifier of a tenant (UUID). */
export type TenantId = string & Brand.Brand<"TenantId">

/** Marks a text as a tenant's identifier; the caller vouches for it. */
export const TenantId = (id: string): TenantId => id as TenantId // a brand has no runtime form

/**
 * LIVE tenants move real money, and reach main networks and real accounts alone. SANDBOX tenants reach test networks and the sandboxes
 * of providers alone, and may use plain http webhooks.
 */
export type TenantKind = Environment

/** Where a tenant stands with the service; only ACTIVE tenants may call. */
export type TenantStatus = "ONBOARDING" | "ACTIVE" | "SUSPENDED" | "CLOSED"

/** Who holds the keys of an address, as crediting policy knows it. */
export const addressOrigins = ["REGISTERED", "DERIVED", "ISSUED", "IMPORTED"] as const

/** Who holds the keys of an address, as crediting policy knows it. */
export type AddressOrigin = (typeof addressOrigins)[number]

/** What a policy may demand a partner's signature for, beside what is always signed. */
export const signedProducts = ["addresses", "swaps", "transfers", "withdrawals", "xpubs"] as const

/** What a policy may demand a partner's signature for. */
export type SignedProduct = (typeof signedProducts)[number]

/** What an operator has agreed with a tenant. */
export interface TenantPolicy {
  /** CIDR ranges that may call with the tenant's keys; null admits every address, an empty list none. */
  readonly ipAllowlist: ReadonlyArray<string> | null
  /** Requests per minute over all of the tenant's keys; can only lower the rates of a key. */
  readonly ceilingPerMinute: number | null
  /** Deposits on addresses of these origins are credited to the float when confirmed. */
  readonly creditOrigins: ReadonlyArray<AddressOrigin>
  /** Whether arrivals mined before their address was registered are credited too. */
  readonly creditHistorical: boolean
  /**
   * Whether arrivals on an address whose key the tenant holds count only once it has proven that it has the key. They are reported
   * either way.
   */
  readonly addressProofRequired: boolean
  /** What of the tenant is carried out only with a partner's signature, beside what is always signed. */
  readonly signaturesRequired: ReadonlyArray<SignedProduct>
  /** Whether addresses that the service issues start with their sweeping held. */
  readonly holdOnIssuance: boolean
  /** Whether addresses whose keys are imported start with their sweeping held. */
  readonly holdOnImport: boolean
  /** Whether an arrival holds the sweeping of its address until the tenant has seen it. */
  readonly holdOnArrival: boolean
  /** Whether withdrawals to the tenant's own destinations are accepted. */
  readonly withdrawalsEnabled: boolean
  /** What may be withdrawn within the window, in US dollars: a decimal text. */
  readonly withdrawalLimitUsd: string
  /** At most `withdrawalWindowHoursMax`. */
  readonly withdrawalWindowHours: number
  /** From this worth on an operator has to approve a withdrawal; null where none is reviewed. */
  readonly withdrawalReviewUsd: string | null
  /** How long a destination rests after it was verified, before anything is sent there; `coolingHours` counts it. */
  readonly destinationCoolingHours: number
  /** By how much, in hundredths of a percent, a quote may be missed; 0 makes quotes fixed prices. */
  readonly slippageBps: number
  /** Whether chain payouts are accepted at all. */
  readonly payoutsEnabled: boolean
  /** Networks on which they are not, even so. */
  readonly payoutsOffOn: ReadonlyArray<Network>
  /** The most that one payout, on a chain or through a bank, may be worth, in US dollars: a decimal text, null for no limit. */
  readonly payoutLimitUsd: string | null
  /** The most that may be accepted within 24 hours. */
  readonly payoutDailyLimitUsd: string | null
  /** Of that, the most that may go to addresses and accounts first paid less than 24 hours ago. */
  readonly payoutNewAddressLimitUsd: string | null
  /** From this worth on an operator has to approve; null where nothing is reviewed. */
  readonly payoutReviewUsd: string | null
  /** The least that is sent out at once, by currency: decimal texts that go before the currencies' own minimums. */
  readonly payoutMinimums: Readonly<Record<string, string>>
  /** From this worth on, within 24 hours, another operator has to approve an adjustment of the float; null where nobody has to. */
  readonly adjustmentReviewUsd: string | null
}

/** A partner organisation: the owner of a float, keys, addresses and operations. */
export interface Tenant {
  readonly id: TenantId
  readonly slug: string
  readonly name: string
  readonly kind: TenantKind
  readonly status: TenantStatus
  readonly policy: TenantPolicy
  readonly createdAt: Timestamp
  /** When an operator last suspended it or lowered one of its settings; left out where nobody has. */
  readonly loweredAt?: Timestamp
}

/** The longest waiting time of a destination, in hours. */
export const coolingHoursMax = 720

/**
 * For how many hours a destination waits. A policy that was signed past the service may say any number, and a greater one takes one person: it counts
 * as the longest, so that nobody alone keeps withdrawals from a place for good.
 */
export const coolingHours = ({ destinationCoolingHours }: TenantPolicy): number =>
  Math.min(destinationCoolingHours, coolingHoursMax)

/** What a tenant starts with: nobody may call yet, everything that is confirmed is credited. */
export const defaultPolicy: TenantPolicy = {
  ipAllowlist: [],
  ceilingPerMinute: null,
  creditOrigins: addressOrigins,
  creditHistorical: false,
  addressProofRequired: false,
  signaturesRequired: [],
  holdOnIssuance: false,
  holdOnImport: false,
  holdOnArrival: false,
  withdrawalsEnabled: true,
  withdrawalLimitUsd: "50000",
  withdrawalWindowHours: 24,
  withdrawalReviewUsd: null,
  destinationCoolingHours: 24,
  slippageBps: 0,
  payoutsEnabled: true,
  payoutsOffOn: [],
  payoutLimitUsd: "25000",
  payoutDailyLimitUsd: "100000",
  payoutNewAddressLimitUsd: "10000",
  payoutReviewUsd: "10000",
  payoutMinimums: {},
  adjustmentReviewUsd: "10000"
}

/**
 * What a new tenant starts with. One that moves real money has to prove its addresses, and to sign what could send money where somebody
 * with an API key alone likes: transfers name any account, and whoever sets the xpub owns what is paid to its addresses. Withdrawals go
 * to a verified destination, and swaps stay inside.
 */
export const policyOfNew = (kind: TenantKind): TenantPolicy =>
  kind === "LIVE"
    ? { ...defaultPolicy, addressProofRequired: true, signaturesRequired: ["transfers", "xpubs"] }
    : defaultPolicy
