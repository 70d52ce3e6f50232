import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import { defaultPolicy, type Tenant, TenantId } from "../tenant/Tenant.ts"
import type { Approval } from "./Approval.ts"
import type { GrantEntry } from "./verifyChain.ts"

/** Under which the chain of the fleet is stored: a tenant that is none, which nobody can look up and that owns nothing else. */
export const fleetTenantId = TenantId("00000000-0000-0000-0000-000000000000")

/** What stands in the place of a tenant for the chain of the fleet. */
export const fleetTenant: Tenant = {
  id: fleetTenantId,
  slug: "~fleet",
  name: "The service itself",
  kind: "LIVE",
  status: "CLOSED",
  policy: defaultPolicy,
  createdAt: 0
}

/** A grant as it was appended to its chain. It is believed only after its chain was verified. */
export interface Grant extends GrantEntry {
  /** Its place in the chain, from 1. */
  readonly number: number
  readonly hash: string
  /** The proposal that it was; null for what came with its approvals. */
  readonly proposalId: string | null
}

/** The grants of a chain by their numbers. Each place is taken once. */
export const Grant = defineRecord<Grant, number>({
  name: "Grant",
  key: ({ number }) => number,
  text: String,
  traits: { insertOnly: true }
})

/** Where a proposal stands. GRANTED and REJECTED are final; one that is OPEN may have expired, or its chain may have gone on without it. */
export const proposalStates = ["OPEN", "GRANTED", "REJECTED"] as const

/** Where a proposal stands. */
export type ProposalState = (typeof proposalStates)[number]

/** Somebody's approval of a proposal, with whose it was found to be. */
export interface GivenApproval {
  readonly person: string
  readonly at: Timestamp
  readonly approval: Approval
}

/** A grant that people are asked to approve. */
export interface GrantProposal {
  readonly id: string
  readonly number: number
  readonly hash: string
  /** The canonical text of the document. */
  readonly document: string
  readonly approvals: ReadonlyArray<GivenApproval>
  readonly state: ProposalState
  readonly proposedBy: string
  readonly proposedAt: Timestamp
  readonly expiresAt: Timestamp
  readonly decidedBy: string | null
  readonly decidedAt: Timestamp | null
  /** Why it was rejected. */
  readonly reason: string | null
}

/** The group of the proposals that are open. */
export const openProposals = "open"

/** The most proposals of a chain that may be open at once, each of which could still be its next grant. */
export const openProposalsMax = 100

/** Proposals by their ids. Those that are open are a group. */
export const GrantProposal = defineRecord<GrantProposal>({
  name: "GrantProposal",
  key: ({ id }) => id,
  group: ({ state }) => (state === "OPEN" ? openProposals : null)
})
