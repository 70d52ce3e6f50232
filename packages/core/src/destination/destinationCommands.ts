import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Network } from "../money/Network.ts"
import { Destination, destinationGroup } from "./Destination.ts"

/** A destination as an operator proposes it. */
export interface DestinationProposal {
  readonly currency: string
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly memo: string | null
  readonly label: string
  readonly by: string
}

const sameOne = "Whoever proposed the destination cannot verify it."

/** Proposes where a currency is withdrawn to. It counts for nothing until another operator has verified it. */
export const proposeDestination = (proposal: DestinationProposal): Command<Destination> => ({
  name: "ProposeDestination",
  reads: [readGroup(Destination, destinationGroup)],
  decide: (view) => {
    const { address, by, currency, label, memo, network } = proposal
    const open = view
      .group(Destination, destinationGroup)
      .find((one) => one.currency === currency && one.verifiedAt === null && one.rejectedAt === null)
    if (open !== undefined)
      return Result.fail(
        new Refusal({ code: "state_conflict", message: `Another proposal for ${currency} is open: ${open.id}.` })
      )
    const destination: Destination = {
      id: view.newId(),
      currency,
      network,
      address,
      memo,
      label,
      proposedBy: by,
      verifiedBy: null,
      verifiedAt: null,
      usableFrom: null,
      rejectedAt: null,
      rejectedReason: null,
      createdAt: view.now
    }
    return Result.succeed({ changes: [putRecord(Destination, destination)], reply: destination })
  }
})

/**
 * Verifies a proposal: another operator than the one who made it (`state_conflict`). It may be paid after the tenant's
 * cooling time.
 */
export const verifyDestination = (id: string, by: string): Command<Destination> => ({
  name: "VerifyDestination",
  reads: [readRecord(Destination, id)],
  decide: (view) => {
    const found = view.get(Destination, id)
    if (found === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such destination." }))
    if (found.verifiedAt !== null || found.rejectedAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "The proposal is already decided." }))
    if (found.proposedBy === by) return Result.fail(new Refusal({ code: "state_conflict", message: sameOne }))
    const destination: Destination = {
      ...found,
      verifiedBy: by,
      verifiedAt: view.now,
      usableFrom: view.now + view.tenant.policy.destinationCoolingHours * 3_600_000
    }
    return Result.succeed({ changes: [putRecord(Destination, destination)], reply: destination })
  }
})

/** Rejects a proposal, or takes back what was verified: from now on nothing is sent there. */
export const rejectDestination = (id: string, reason: string): Command<Destination> => ({
  name: "RejectDestination",
  reads: [readRecord(Destination, id)],
  decide: (view) => {
    const found = view.get(Destination, id)
    if (found === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such destination." }))
    if (found.rejectedAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "It was rejected already." }))
    const destination: Destination = { ...found, rejectedAt: view.now, rejectedReason: reason }
    return Result.succeed({ changes: [putRecord(Destination, destination)], reply: destination })
  }
})
