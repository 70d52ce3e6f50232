import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/**
 * One name for a key, in whichever form its addresses are written: the same on all networks on which the key is good. Where only
 * an address is known, the name is that of the hash in it, so one key can have several.
 */
export type KeyName = string

/** An address and the names of the key behind it. */
export interface KeyedAddress {
  /** Canonical. */
  readonly address: string
  readonly keys: ReadonlyArray<KeyName>
}

/**
 * Who holds a key: its tenant; the service, for a tenant; the service, to pay from it. A key that the service holds keeps its
 * owner for good, one of a tenant's as long as it watches an address of it.
 */
export const keyHolders = ["TENANT", "SERVICE", "WALLET"] as const

/** Who holds a key. */
export type KeyHolder = (typeof keyHolders)[number]

/** A key that is claimed for a tenant, by an address, a wallet, an extended public key or a seed of it. */
export interface KeyClaim {
  readonly key: KeyName
  readonly holder: KeyHolder
  /** The id of what needs the key: when an address is given free, so is its claim on a key that the tenant holds. */
  readonly by: string
}

/** The one tenant that a key belongs to. */
export interface KeyOwner {
  readonly owner: TenantId
  readonly holder: KeyHolder
  /** The id of what it was claimed with first. */
  readonly by: string
}

/** The one tenant that an address of a network belongs to. */
export interface AddressOwner {
  readonly owner: TenantId
  /** The id of the address or of the wallet that has it. */
  readonly id: string
}

/** An address given to this tenant in the directory of all tenants, or given free. */
export interface DirectoryEntry {
  readonly network: Network
  readonly address: string
  readonly addressId: string
  /** It is the address of a wallet of the service. */
  readonly wallet?: true
}

/** A change of the directory, in which each address and each key has one owner among all tenants. */
export type DirectoryChange =
  /** Claims (network, address) for this tenant among all tenants. */
  | ({ readonly _tag: "AddressClaimed" } & DirectoryEntry)
  /** Gives (network, address) free again, and with it what the address has claimed of keys that the tenant holds. */
  | { readonly _tag: "AddressFreed"; readonly network: Network; readonly address: string; readonly addressId: string }
  /** Claims keys for this tenant among all tenants, under whichever networks their addresses stand. */
  | {
      readonly _tag: "KeysClaimed"
      readonly keys: ReadonlyArray<KeyName>
      readonly holder: KeyHolder
      /** What needs them: the id of an address, a wallet, an extended public key or a seed. */
      readonly by: string
    }

/** What a batch writes to the directory. */
export interface DirectoryWrites {
  readonly freed: ReadonlyArray<DirectoryEntry>
  readonly claimed: ReadonlyArray<DirectoryEntry>
  /** The ids of addresses whose claims on keys end, before those of `keyClaims` begin. */
  readonly keysReleasedBy: ReadonlyArray<string>
  readonly keyClaims: ReadonlyArray<KeyClaim>
}

/** What an adapter found in the directory. The view may look at the tenant's own records whose ids stand here: they are loaded too. */
export interface DirectoryLoaded {
  /** By `addressKey`. */
  readonly liveAddresses: ReadonlyMap<string, AddressOwner>
  readonly keyOwners: ReadonlyMap<KeyName, KeyOwner>
}

/** The key under which an address of a network is loaded. */
export const addressKey = (network: Network, address: string): string => `${network}|${address}`
