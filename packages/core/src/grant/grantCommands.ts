import { Result } from "effect"
import { Refusal, type RefusalCode } from "../base/Refusal.ts"
import type { Change } from "../engine/Change.ts"
import { toIso } from "../base/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, type RecordRead, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { NetworkSwitch } from "../port/NetworkSwitches.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { arrivalProblem, arrivalReads } from "./arrival.ts"
import { type GivenApproval, fleetTenantId, Grant, GrantProposal, openProposals, openProposalsMax } from "./Grant.ts"
import {
  type GrantDocument,
  grantText,
  grantVersion,
  type KindAndValues,
  readGrant,
  subjectOf
} from "./GrantDocument.ts"
import type { Direction } from "./direction.ts"
import { type Authority, currentAuthority, type FleetState, type TenantState } from "./GrantState.ts"
import { approvalsNeeded, type GrantProblem, judgeDocument, valuesBefore } from "./judgeGrant.ts"
import { type LowerableRows, overruledProblem } from "./overruled.ts"
import { authorityForTenant } from "./verifyChain.ts"

/** The verified chain that a command adds to, as it was when the command was prepared: without a tenant, that of the fleet. */
export interface KnownChain {
  readonly fleet: FleetState
  readonly tenant?: TenantState
}

/** A document whose hash was made from its very text. */
export interface HashedDocument {
  readonly document: GrantDocument
  readonly hash: string
}

/** Under which tenant the commands of a chain are submitted. */
export const chainTenant = ({ tenant }: KnownChain): TenantId => tenant?.tenantId ?? fleetTenantId

const stateOf = ({ fleet, tenant }: KnownChain) => tenant ?? fleet

const refuse = (code: RefusalCode, message: string) => Result.fail(new Refusal({ code, message }))

/** What a draft is made of. */
export interface GrantDraft {
  readonly content: KindAndValues
  readonly note: string
  readonly by: string
  /** Unix milliseconds. */
  readonly now: number
  readonly expiresAt: number
}

/** The document that a draft becomes at the end of a chain. */
export const draftGrant = (chain: KnownChain, { by, content, expiresAt, note, now }: GrantDraft): GrantDocument => {
  const { head, tenantId } = stateOf(chain)
  const { head: newest } = chain.fleet
  return {
    ...content,
    version: grantVersion,
    tenant: tenantId,
    number: String(head.number + 1),
    previous: head.hash,
    fleet: tenantId === null ? null : { number: String(newest.number), hash: newest.hash },
    subject: subjectOf(content),
    note,
    proposed_by: by,
    proposed_at: toIso(now),
    expires_at: toIso(expiresAt)
  }
}

const reads = (chain: KnownChain): ReadonlyArray<RecordRead> => {
  const { number } = stateOf(chain).head
  return [...(number === 0 ? [] : [readRecord(Grant, number)]), readRecord(Grant, number + 1)]
}

/** Whether the chain is no longer what the command was prepared from. */
const hasMoved = (view: View, chain: KnownChain): boolean => {
  const { head } = stateOf(chain)
  if (view.get(Grant, head.number + 1) !== undefined) return true
  return head.number > 0 && view.get(Grant, head.number)?.hash !== head.hash
}

const moved = refuse("stale", "The chain of grants went on.")

/** A command that is decided as `before` while the chain is what it was prepared from, and as `after` once it went on. */
export const onChain = <A>(
  chain: KnownChain,
  { after, before }: { readonly before: Command<A>; readonly after: Command<A> }
): Command<A> => ({
  name: before.name,
  reads: [...reads(chain), ...before.reads, ...after.reads],
  decide: (view) => (hasMoved(view, chain) ? after : before).decide(view)
})

/** Whose word counts for a document that is to be appended now: nobody may have been taken from the approvers since it was proposed. */
const authorityNow = (
  { fleet, tenant }: KnownChain,
  document: GrantDocument
): Result.Result<Authority, GrantProblem> => {
  const now = currentAuthority(fleet)
  if (tenant === undefined) return Result.succeed(now)
  return Result.flatMap(authorityForTenant(fleet, tenant, document), (authority) =>
    authority.since === now.since
      ? Result.succeed(authority)
      : Result.fail({ code: "wrong_fleet" as const, message: "the approvers have changed since it was proposed" })
  )
}

/** What a document takes at the end of a chain. */
export interface Needed {
  /** How many people. */
  readonly needed: number
  /** Who may be one of them. */
  readonly authority: Authority
  /** What it does to what may be lost. */
  readonly direction: Direction
  /** The values that it replaces; undefined where no grant has named its subject. */
  readonly before: GrantDocument["values"] | undefined
}

/** How many people a document takes at the end of a chain, and who may be one of them. */
export const neededFor = (chain: KnownChain, document: GrantDocument): Result.Result<Needed, GrantProblem> =>
  Result.gen(function* () {
    const authority = yield* authorityNow(chain, document)
    const direction = yield* judgeDocument(stateOf(chain), authority, document)
    const before = valuesBefore(stateOf(chain), authority, document)
    return { needed: approvalsNeeded(authority, document.kind, direction), authority, direction, before }
  })

/** What a grant changes beside its chain: a command whose changes are of the same commit. Undefined where it changes nothing else. */
export type GrantEffect = Command<unknown> | undefined

/** The changes of a grant beside its chain. What cannot be carried out is not granted. */
const changesOf = (view: View, effect: GrantEffect): Result.Result<ReadonlyArray<Change>, Refusal> => {
  if (effect === undefined) return Result.succeed([])
  const decided = effect.decide(view)
  return Result.isSuccess(decided)
    ? Result.succeed(decided.success.changes)
    : refuse("state_conflict", `The grant cannot be carried out: ${decided.failure.message}`)
}

/** Why an open proposal can no longer be approved; undefined where it can. */
export const proposalProblem = (chain: KnownChain, proposal: GrantProposal, now: number): string | undefined => {
  if (proposal.state !== "OPEN") return "The proposal is already decided."
  if (proposal.expiresAt <= now) return "The proposal has expired: propose it again."
  return proposal.number === stateOf(chain).head.number + 1
    ? undefined
    : "Another grant was appended since it was proposed: propose it again."
}

/** The document of a proposal that can still become the next grant of its chain; undefined where nobody can approve it any more. */
export const nextGrant = (chain: KnownChain, proposal: GrantProposal, now: number): GrantDocument | undefined => {
  if (proposalProblem(chain, proposal, now) !== undefined) return undefined
  const document = Result.getOrUndefined(readGrant(proposal.document))
  return document === undefined || Result.isFailure(neededFor(chain, document)) ? undefined : document
}

/** Why an open proposal may no longer be approved although its chain did not go on: operators have lowered since what it would put back. */
export const proposalOverruled = (
  chain: KnownChain,
  proposal: GrantProposal,
  rows: LowerableRows
): string | undefined => {
  const document = Result.getOrUndefined(readGrant(proposal.document))
  const judged = document && Result.getOrUndefined(neededFor(chain, document))
  if (document === undefined || judged === undefined) return undefined
  return overruledProblem({ document, judged, madeAt: proposal.proposedAt }, rows)
}

/** What is read of the rows that operators may have lowered, beside the tenant's own. */
const loweredReads = (document: GrantDocument): ReadonlyArray<RecordRead> =>
  document.kind === "network" ? [readRecord(NetworkSwitch, document.values.network)] : []

const rowsOf = (view: View, document: GrantDocument): LowerableRows => {
  const found = document.kind === "network" ? view.get(NetworkSwitch, document.values.network) : undefined
  return { tenant: view.tenant, switches: found === undefined ? [] : [found] }
}

/**
 * Proposes a grant, which counts for nothing until people have approved it. Refused: what could not be appended whoever approves
 * (`invalid_request`), what stands open already, and what the records do not allow now (`state_conflict`). `stale` asks for a newer state of the chain.
 */
export const proposeGrant = (
  chain: KnownChain,
  { document, hash }: HashedDocument,
  effect?: GrantEffect
): Command<GrantProposal> => ({
  name: "ProposeGrant",
  reads: [
    ...reads(chain),
    readGroup(GrantProposal, openProposals),
    ...loweredReads(document),
    ...(effect?.reads ?? [])
  ],
  decide: (view) => {
    if (hasMoved(view, chain)) return moved
    const judged = neededFor(chain, document)
    if (Result.isFailure(judged))
      return refuse("invalid_request", `The grant cannot hold (${judged.failure.code}): ${judged.failure.message}.`)
    const expiresAt = Date.parse(document.expires_at)
    if (expiresAt <= view.now) return refuse("invalid_request", "The proposal has expired.")
    // those that nobody can approve any more keep nothing out
    const open = view.group(GrantProposal, openProposals).flatMap((proposal) => {
      const next = nextGrant(chain, proposal, view.now)
      return next === undefined ? [] : [{ proposal, next }]
    })
    const other = open.find(
      ({ next, proposal }) =>
        next.kind === document.kind &&
        next.subject === document.subject &&
        proposalOverruled(chain, proposal, rowsOf(view, document)) === undefined
    )?.proposal
    if (other !== undefined)
      return refuse(
        "state_conflict",
        `Proposal ${other.id} by ${other.proposedBy} is about the same ${document.kind}, ${document.subject}, and open: have it approved or reject it, then propose again.`
      )
    if (open.length >= openProposalsMax)
      return refuse("state_conflict", `${openProposalsMax} proposals are open: decide or reject some first.`)
    const possible = changesOf(view, effect)
    if (Result.isFailure(possible)) return Result.fail(possible.failure)
    const proposal: GrantProposal = {
      id: view.newId(),
      number: Number(document.number),
      hash,
      document: grantText(document),
      approvals: [],
      state: "OPEN",
      proposedBy: document.proposed_by,
      proposedAt: view.now,
      expiresAt,
      decidedBy: null,
      decidedAt: null,
      reason: null
    }
    return Result.succeed({ changes: [putRecord(GrantProposal, proposal)], reply: proposal })
  }
})

/** An approval that was verified over the hash of a document, with those that the proposal had. */
export interface ApproveGrant {
  readonly proposalId: string
  /** Read from the proposal, and hashed anew. */
  readonly hashed: HashedDocument
  /** All that the proposal had when it was read, each verified anew by the approvers that hold now. */
  readonly verified: ReadonlyArray<Omit<GivenApproval, "at">>
  /** The new one. */
  readonly approval: Omit<GivenApproval, "at">
  readonly by: string
  /** What the grant changes beside its chain, once it is one. */
  readonly effect?: GrantEffect
}

const sameApprovals = (one: GrantProposal, verified: ApproveGrant["verified"]): boolean =>
  JSON.stringify(one.approvals.map(({ approval, person }) => [person, approval])) ===
  JSON.stringify(verified.map(({ approval, person }) => [person, approval]))

/**
 * Adds a person's approval to a proposal. With the last one that it takes, the grant is appended and carried out in the same commit. Refused: `not_found`; what is
 * decided, expired, or proposed on a chain that went on, what would put back what an operator has lowered since it was proposed, a second approval of the same person, and what cannot be carried out (`state_conflict`). `stale` asks for what is
 * stored now.
 */
export const approveGrant = (
  chain: KnownChain,
  { approval, by, effect, hashed: { document, hash }, proposalId, verified }: ApproveGrant
): Command<GrantProposal> => ({
  name: "ApproveGrant",
  reads: [...reads(chain), readRecord(GrantProposal, proposalId), ...loweredReads(document), ...(effect?.reads ?? [])],
  decide: (view) => {
    const proposal = view.get(GrantProposal, proposalId)
    if (proposal === undefined) return refuse("not_found", "There is no such proposal.")
    if (hasMoved(view, chain) || proposal.document !== grantText(document) || !sameApprovals(proposal, verified))
      return moved
    const problem = proposalProblem(chain, proposal, view.now)
    if (problem !== undefined) return refuse("state_conflict", problem)
    const judged = neededFor(chain, document)
    if (Result.isFailure(judged))
      return refuse("state_conflict", `It can no longer hold (${judged.failure.code}): ${judged.failure.message}.`)
    const overruled = proposalOverruled(chain, proposal, rowsOf(view, document))
    if (overruled !== undefined) return refuse("state_conflict", overruled)
    const given = [...verified.map(({ person }) => person), approval.person]
    if (new Set(given).size < given.length) return refuse("state_conflict", `${approval.person} has approved already.`)
    const approvals = [...proposal.approvals, { ...approval, at: view.now }]
    const open: GrantProposal = { ...proposal, approvals }
    if (approvals.length < judged.success.needed)
      return Result.succeed({ changes: [putRecord(GrantProposal, open)], reply: open })
    const decided: GrantProposal = { ...open, state: "GRANTED", decidedBy: by, decidedAt: view.now }
    const grant: Grant = {
      number: proposal.number,
      hash,
      document: proposal.document,
      approvals: approvals.map((one) => one.approval),
      recordedAt: view.now,
      proposalId
    }
    return Result.map(changesOf(view, effect), (carriedOut) => ({
      changes: [putRecord(GrantProposal, decided), putRecord(Grant, grant), ...carriedOut],
      reply: decided
    }))
  }
})

/** A document with approvals that were verified over its hash by those who may approve now. */
export interface AppendGrant {
  readonly hashed: HashedDocument
  readonly verified: ReadonlyArray<Omit<GivenApproval, "at">>
  /** What the grant changes beside its chain. */
  readonly effect?: GrantEffect
}

/**
 * Appends a grant that brings its approvals along, whoever carries it, and carries it out in the same commit. Refused: what cannot hold, what says that it was
 * proposed before it could be seen (`arrivalProblem`), or too few people have approved (`invalid_request`), what would put back what an operator has lowered since it was proposed, and what cannot be carried out (`state_conflict`). `stale` asks for a newer state of the chain.
 */
export const appendGrant = (
  chain: KnownChain,
  { effect, hashed: { document, hash }, verified }: AppendGrant
): Command<Grant> => ({
  name: "AppendGrant",
  reads: [...reads(chain), ...arrivalReads(document), ...loweredReads(document), ...(effect?.reads ?? [])],
  decide: (view) => {
    if (hasMoved(view, chain)) return moved
    const judged = neededFor(chain, document)
    if (Result.isFailure(judged))
      return refuse("invalid_request", `The grant cannot hold (${judged.failure.code}): ${judged.failure.message}.`)
    if (Date.parse(document.expires_at) <= view.now) return refuse("invalid_request", "The grant has expired.")
    const problem = arrivalProblem(view, document, chain.tenant)
    if (problem !== undefined) return refuse("invalid_request", `The grant cannot hold: ${problem}.`)
    const madeAt = Date.parse(document.proposed_at)
    const overruled = overruledProblem({ document, judged: judged.success, madeAt }, rowsOf(view, document))
    if (overruled !== undefined) return refuse("state_conflict", overruled)
    const people = new Set(verified.map(({ person }) => person))
    const { needed } = judged.success
    if (people.size < needed || people.size < verified.length)
      return refuse("invalid_request", `${people.size} of ${needed} people have approved it, each once.`)
    const grant: Grant = {
      number: Number(document.number),
      hash,
      document: grantText(document),
      approvals: verified.map(({ approval }) => approval),
      recordedAt: view.now,
      proposalId: null
    }
    return Result.map(changesOf(view, effect), (carriedOut) => ({
      changes: [putRecord(Grant, grant), ...carriedOut],
      reply: grant
    }))
  }
})

/** Rejects an open proposal for good. Refused: `not_found`, and what is decided (`state_conflict`). */
export const rejectGrant = (
  proposalId: string,
  { by, reason }: { readonly by: string; readonly reason: string }
): Command<GrantProposal> => ({
  name: "RejectGrant",
  reads: [readRecord(GrantProposal, proposalId)],
  decide: (view) => {
    const proposal = view.get(GrantProposal, proposalId)
    if (proposal === undefined) return refuse("not_found", "There is no such proposal.")
    if (proposal.state !== "OPEN") return refuse("state_conflict", "The proposal is already decided.")
    const rejected: GrantProposal = { ...proposal, state: "REJECTED", decidedBy: by, decidedAt: view.now, reason }
    return Result.succeed({ changes: [putRecord(GrantProposal, rejected)], reply: rejected })
  }
})
