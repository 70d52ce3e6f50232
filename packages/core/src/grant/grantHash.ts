import type { Effect } from "effect"
import { sha256Hex } from "../base/sha256.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { canonicalText } from "./canonical.ts"
import { grantVersion } from "./GrantDocument.ts"
import type { GrantRoot } from "./GrantRoot.ts"

/** The hash of a grant: SHA-256 of the version, a line feed and its canonical text, lower-case hexadecimal. */
export const grantHash = (text: string): Effect.Effect<string> => sha256Hex(`${grantVersion}\n${text}`)

/**
 * What the first grant of a chain follows on. It binds the chain to the root and to its tenant: no chain of another service or another
 * tenant continues it. Null stands for the fleet.
 */
export const genesisOf = (root: GrantRoot, tenant: TenantId | null): Effect.Effect<string> =>
  sha256Hex(
    `bursar.grant.genesis.v1\n${canonicalText({ approvers: root.approvers, quorum: root.quorum, quorums: root.quorums, tenant })}`
  )

/** The text that an Ed25519 key signs to approve a grant of a hash. A passkey signs the 32 bytes of the hash as its challenge. */
export const approvalText = (hash: string): string => `bursar.grant.approval.v1\n${hash}`
