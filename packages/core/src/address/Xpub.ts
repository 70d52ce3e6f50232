import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineNewest, defineRecord } from "../engine/Records.ts"

/**
 * An account's extended public key that addresses are derived from; the tenant keeps the private side. One is live per
 * network.
 */
export interface Xpub {
  readonly id: string
  readonly tenantId: TenantId
  readonly network: Network
  /** As the tenant wrote it. */
  readonly xpub: string
  /** One text for all spellings of the same key: what counts as the same key again. */
  readonly canonical: string
  /** The first index that may be used. */
  readonly indexFrom: number
  /** The last index that may be used. */
  readonly indexTo: number
  /** The index that the next derivation starts at; above `indexTo` when none is left. It never goes back. */
  readonly nextIndex: number
  readonly retiredAt: Timestamp | null
  readonly createdAt: Timestamp
}

/** The highest index of BIP 32 that is not hardened. */
export const indexMax = 0x7fff_ffff

/** Extended public keys by their ids. The live one of a network is a group. */
export const Xpub = defineRecord<Xpub>({
  name: "Xpub",
  key: ({ id }) => id,
  group: ({ network, retiredAt }) => (retiredAt === null ? network : null),
  traits: { oncePerCommand: true }
})

/** The network and the key of a registration: the group of all registrations of it. */
export const xpubUseGroup = (network: Network, canonical: string): string => `${network}|${canonical}`

/** The registration of a key that has used the most of its indexes on a network. */
export const XpubUse = defineNewest<Xpub>({
  name: "XpubUse",
  of: Xpub,
  group: ({ canonical, network }) => xpubUseGroup(network, canonical),
  order: ({ nextIndex }) => nextIndex
})
