import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { KeyName } from "../engine/Directory.ts"

/** What can lose its key to another tenant. */
export const keyConflictKinds = ["WALLET", "ACCOUNT", "ADDRESS", "XPUB"] as const

/**
 * Something of one tenant that an update of the database found to need a key of another tenant. The other keeps the key. An address
 * or extended public key that lost was retired: nothing more is credited there. A wallet or account stays as it is, for operators to
 * look into.
 */
export interface KeyConflict {
  readonly key: KeyName
  readonly what: (typeof keyConflictKinds)[number]
  readonly tenantId: TenantId
  /** The id of what lost. */
  readonly id: string
  /** A network, or a family of networks. */
  readonly network: string
  /** The address, or the extended public key. */
  readonly text: string
  readonly keptBy: TenantId
  readonly foundAt: Timestamp
}

/** The place of one in the list of all: the newest first. */
export type KeyConflictPlace = Pick<KeyConflict, "foundAt" | "id" | "tenantId">
