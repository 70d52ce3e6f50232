import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import {
  addressKey,
  type AddressOwner,
  type DirectoryChange,
  type DirectoryEntry,
  type DirectoryLoaded,
  type DirectoryWrites,
  type KeyClaim,
  type KeyName,
  type KeyOwner
} from "./Directory.ts"
import { Overlay } from "./Overlay.ts"
import type { ReadSet } from "./Read.ts"

/** The directory as it was loaded and as the batch has changed it. */
export class DirectoryOverlay {
  /** The ids that stand in it. */
  readonly named: Set<string>
  private readonly tenantId: TenantId
  private readonly addresses: Overlay<string, AddressOwner | null>
  private readonly keys: Overlay<KeyName, KeyOwner>
  private readonly entries = new Map<string, DirectoryEntry & { readonly claimed: boolean }>()
  private readonly keyClaims = new Map<string, KeyClaim>()
  private readonly keysReleasedBy = new Set<string>()

  constructor(tenantId: TenantId, reads: ReadSet, { keyOwners, liveAddresses }: DirectoryLoaded) {
    this.tenantId = tenantId
    this.addresses = new Overlay<string, AddressOwner | null>("live address", reads.liveAddresses, liveAddresses)
    this.keys = new Overlay("key owner", reads.keyOwners, keyOwners)
    this.named = new Set([...liveAddresses.values()].map(({ id }) => id))
    for (const { by } of keyOwners.values()) this.named.add(by)
  }

  address(network: Network, address: string): AddressOwner | undefined {
    return this.addresses.get(addressKey(network, address)) ?? undefined
  }

  key(key: KeyName): KeyOwner | undefined {
    return this.keys.get(key)
  }

  apply(change: DirectoryChange): void {
    if (change._tag === "KeysClaimed") {
      for (const key of change.keys) this.claimKey({ key, holder: change.holder, by: change.by })
      return
    }
    const { address, addressId, network } = change
    const place = addressKey(network, address)
    if (change._tag === "AddressFreed") {
      this.entries.set(place, { network, address, addressId, claimed: false })
      this.releaseKeys(addressId)
      this.addresses.set(place, null)
      return
    }
    const wallet = change.wallet === true
    this.entries.set(place, { network, address, addressId, ...(wallet && { wallet }), claimed: true })
    this.addresses.set(place, { owner: this.tenantId, id: addressId })
    this.named.add(addressId)
  }

  /** A claim stands over an earlier one of the same tenant unless the service held the key by then. */
  private claimKey(claim: KeyClaim): void {
    const { by, holder, key } = claim
    const before = this.keys.peek(key)
    if (before === undefined || before.holder === "TENANT") {
      this.keys.set(key, { owner: this.tenantId, holder, by })
      this.named.add(by)
    }
    this.keyClaims.set(`${key}|${by}`, claim)
  }

  private releaseKeys(by: string): void {
    this.keysReleasedBy.add(by)
    for (const [place, claim] of this.keyClaims) {
      if (claim.by === by && claim.holder === "TENANT") this.keyClaims.delete(place)
    }
  }

  writes(): DirectoryWrites {
    const entries = [...this.entries.values()]
    return {
      freed: entries.filter(({ claimed }) => !claimed),
      claimed: entries.filter(({ claimed }) => claimed),
      keysReleasedBy: [...this.keysReleasedBy],
      keyClaims: [...this.keyClaims.values()]
    }
  }
}
