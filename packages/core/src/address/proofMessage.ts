import { toIso, type Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** How long a challenge may be answered. */
export const proofLifetimeMs = 60 * 60 * 1_000

/** How far ahead of the service's clock a challenge may be dated before it is refused. */
export const proofSkewMs = 60_000

/** What a challenge binds its signature to. */
export interface ProofChallenge {
  readonly serviceName: string
  readonly tenantId: TenantId
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly issuedAt: Timestamp
}

/**
 * The text to sign. It says who has the key for whom, where and when, in plain words, because a person may see it on the display of a
 * device; so nothing is stored until it comes back: whoever has signed it has said exactly this.
 */
export const proofMessage = ({ address, issuedAt, network, serviceName, tenantId }: ProofChallenge): string =>
  [
    `I hold the key of this address and give its deposits to the tenant named here (${serviceName}).`,
    `Tenant: ${tenantId}`,
    `Network: ${network}`,
    `Address: ${address}`,
    `Issued: ${toIso(issuedAt)}`
  ].join("\n")

/** Whether a challenge of a moment may be answered now. */
export const isProofTimely = (issuedAt: Timestamp, now: Timestamp): boolean =>
  issuedAt <= now + proofSkewMs && now < issuedAt + proofLifetimeMs
