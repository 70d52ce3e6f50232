import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { AddressOrigin, TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"

/** Who keeps an address from being swept, and why. */
export type SweepHoldKind = "ISSUANCE" | "IMPORT" | "ARRIVAL" | "OWNER" | "OPERATOR"

/** Why an address is not swept. */
export interface SweepHold {
  readonly kind: SweepHoldKind
  readonly reason: string
  readonly heldAt: Timestamp
  /** Under an operator's hold: the one that was there before and comes back when the operator lets go. */
  readonly over?: SweepHold | null
}

/** Whether the service has the private keys of addresses of an origin, and so can sweep them. */
export const serviceHoldsKey = (origin: AddressOrigin): boolean => origin === "ISSUED" || origin === "IMPORTED"

/** A kept request (`SignedRegistration`), as the addresses name it that it has registered. */
export interface NamedRegistration {
  readonly id: string
  /** The key that has signed it. */
  readonly keyid: string
}

/** An address that a tenant watches for deposits. Live until it is retired; a live address has one owner in the service. */
export interface DepositAddress {
  readonly id: string
  readonly tenantId: TenantId
  readonly network: Network
  /** In the network's canonical form (EIP-55 on EVM chains). */
  readonly address: string
  /** The tenant's own name for whoever pays here. */
  readonly reference: string
  readonly origin: AddressOrigin
  readonly xpubId: string | null
  readonly seedId: string | null
  readonly derivationIndex: number | null
  /** Arrivals are looked for from this moment on. */
  readonly watchFrom: Timestamp
  /** Arrivals are looked for from this block on, where the tenant named one. */
  readonly watchFromBlock: number | null
  /** The newest block known when the address was registered: what was mined up to there is historical. */
  readonly registeredAtBlock: number | null
  readonly sweepHold: SweepHold | null
  readonly retiredAt: Timestamp | null
  readonly createdAt: Timestamp
  readonly watchNowUntil: Timestamp | null
  /** The address of the same key on another network, if this one was added because an arrival was found here. */
  readonly siblingOf: string | null
  /**
   * The kept requests by which the tenant has registered it, the first first, and one of a key at most: a key that is revoked later may leave one of
   * them standing. None where none was signed, or where it follows from a key.
   */
  readonly registrations: ReadonlyArray<NamedRegistration>
}

/** Coins that arrived before an address was watched: a job to read the past of a network for some addresses. */
export interface Backfill {
  readonly id: string
  readonly tenantId: TenantId
  readonly network: Network
  /** Canonical addresses. */
  readonly addresses: ReadonlyArray<string>
  /** The first block to read, or null to start at the block of `fromTime`. */
  readonly fromBlock: number | null
  readonly fromTime: Timestamp
  readonly createdAt: Timestamp
}

/** Addresses by their ids. The records of one address are a group, on all networks, live and retired. */
export const DepositAddress = defineRecord<DepositAddress>({
  name: "DepositAddress",
  key: ({ id }) => id,
  group: ({ address }) => address
})

/** Jobs to read the past. */
export const Backfill = defineRecord<Backfill>({ name: "Backfill", key: ({ id }) => id, traits: { insertOnly: true } })
