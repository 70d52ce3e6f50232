import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { View } from "../engine/View.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { isUuid } from "../base/uuid.ts"
import type { Network } from "../money/Network.ts"
import { coolingHours } from "../tenant/Tenant.ts"
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
 * When a destination is verified: after each of its currency that was verified before. While one clock is ahead of the others, all that is done has the
 * same time, and the newest has to be known still.
 */
const verifiedNow = (view: View, currency: string): Timestamp =>
  view
    .group(Destination, destinationGroup)
    .reduce((at, one) => (one.currency === currency ? Math.max(at, (one.verifiedAt ?? -1) + 1) : at), view.now)

/** What somebody has seen of a destination who verifies it: all by which a receiver is told from others. */
export type SeenDestination = Pick<Destination, "address" | "currency" | "memo" | "network">

/** Why a destination is not verified that is not what somebody has seen of it; undefined where it is that. */
export const notAsSeen = (
  { address, currency, memo, network }: Destination,
  seen: SeenDestination
): Refusal | undefined =>
  address === seen.address && currency === seen.currency && memo === seen.memo && network === seen.network
    ? undefined
    : new Refusal({
        code: "state_conflict",
        message: "The destination is not what you have seen: look at it again, and at who can write to the database."
      })

/**
 * Verifies a proposal: another operator than the one who made it (`state_conflict`). It may be paid after the tenant's
 * cooling time. Refused where it is not as it was `seen` (`state_conflict`): no command changes it, so somebody has done so in the database.
 */
export const verifyDestination = (id: string, by: string, seen?: SeenDestination): Command<Destination> => ({
  name: "VerifyDestination",
  reads: [readRecord(Destination, id), readGroup(Destination, destinationGroup)],
  decide: (view) => {
    const found = view.get(Destination, id)
    if (found === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such destination." }))
    if (found.verifiedAt !== null || found.rejectedAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "The proposal is already decided." }))
    if (found.proposedBy === by) return Result.fail(new Refusal({ code: "state_conflict", message: sameOne }))
    const other = seen && notAsSeen(found, seen)
    if (other !== undefined) return Result.fail(other)
    const destination: Destination = {
      ...found,
      verifiedBy: by,
      verifiedAt: verifiedNow(view, found.currency),
      usableFrom: view.now + coolingHours(view.tenant.policy) * 3_600_000
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

/** A destination as a grant names it. */
export interface GrantedDestination extends DestinationProposal {
  readonly id: string
  /** What granted it: it stands in the place of the operator who verifies a proposal. */
  readonly grantedBy: string
  /** When the grant was proposed: the waiting time counts from then. */
  readonly proposedAt: Timestamp
  readonly usableFrom: Timestamp
}

const saysOther = (found: Destination, given: GrantedDestination): boolean =>
  (["currency", "network", "address", "memo"] as const).some((field) => found[field] !== given[field])

/**
 * Takes over a destination that was granted, or verifies a proposal that says the same. One that was verified already stays as it is. Refused
 * (`state_conflict`): an id that is no UUID, or that stands for something else; one that was rejected; one that may be used before the waiting
 * time of the tenant's row is over, which operators may have made longer than the granted one; one that may be used before another of its currency
 * that stands, so that the newest grant is the one that receives. Before one that was rejected it may come: it receives until the moment of that one.
 */
export const grantDestination = (given: GrantedDestination): Command<Destination> => ({
  name: "GrantDestination",
  reads: [readRecord(Destination, given.id), readGroup(Destination, destinationGroup)],
  decide: (view) => {
    const { by, grantedBy, id, proposedAt, usableFrom, ...named } = given
    const found = view.get(Destination, id)
    const refuse = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))
    if (!isUuid(id)) return refuse("The id of a destination is a UUID.")
    if (found !== undefined && saysOther(found, given)) return refuse(`The destination ${id} is another one.`)
    if (found !== undefined && found.rejectedAt !== null) return refuse("The destination was rejected.")
    if (found !== undefined && found.verifiedAt !== null) return Result.succeed({ changes: [], reply: found })
    const hours = coolingHours(view.tenant.policy)
    const earliest = proposedAt + hours * 3_600_000
    if (usableFrom < earliest)
      return refuse(
        `It may be used from ${toIso(earliest)} on at the earliest: an operator lets destinations wait for ${hours} hours.`
      )
    const later = view
      .group(Destination, destinationGroup)
      .find((one) => one.currency === named.currency && one.rejectedAt === null && (one.usableFrom ?? 0) >= usableFrom)
    if (later !== undefined)
      return refuse(`It may be used from when on ${later.id} already is, or before: name a later moment.`)
    const destination: Destination = {
      ...(found ?? { ...named, id, proposedBy: by, rejectedAt: null, rejectedReason: null, createdAt: view.now }),
      verifiedBy: grantedBy,
      verifiedAt: verifiedNow(view, named.currency),
      usableFrom
    }
    return Result.succeed({ changes: [putRecord(Destination, destination)], reply: destination })
  }
})
