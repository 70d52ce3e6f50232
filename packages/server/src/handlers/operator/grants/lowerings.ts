import type { ApiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { fleetTenantId, type GrantProposal } from "@bursar/core/grant/Grant"
import { nextGrant, proposalOverruled, rejectGrant } from "@bursar/core/grant/grantCommands"
import { type GrantDocument, type KindAndValues, readGrant, subjectOf } from "@bursar/core/grant/GrantDocument"
import { type Lowered, loweredGrants, saidLowering } from "@bursar/core/granting/lowered"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { orUnavailable, submit } from "../../../refusals.ts"
import { type GrantServices, propose } from "./change.ts"
import { lowerableKinds, loweredIn } from "./loweredRows.ts"
import type { ProposalSight } from "./toWire.ts"

/** What a proposal says that repeats what an operator has lowered. */
const note = "An operator has done this already. Approve it, so that nobody undoes it alone."

/** Who proposes and rejects where no operator asked for it. */
const service = "service"

/** Why a proposal was rejected that nobody could approve any more. */
const outdatedReason = "Another grant was appended first. What still holds of it is proposed again."

/** For how long such a proposal stands open. */
const expiresInHours = 744

/** Leaves a proposal of what an operator has lowered without a grant; `until` is when it ends where that is sooner. */
export const leaveLowering = (
  services: GrantServices,
  chain: TenantId | null,
  { by, content, until }: { readonly by: string; readonly content: KindAndValues; readonly until?: Timestamp }
): Effect.Effect<unknown, ApiError> =>
  propose(services, chain, {
    content,
    note,
    by,
    hours: expiresInHours,
    ...(until === undefined ? {} : { until })
  })

/** Says in the log that a lowering holds without a proposal on its chain: `subject` names its kind and subject where that is known. */
export const orUnproposed = <R>(
  leaving: Effect.Effect<void, ApiError, R>,
  { chain, ...named }: { readonly chain: TenantId | null; readonly what: string; readonly subject?: string }
): Effect.Effect<void, never, R> =>
  Effect.catch(leaving, ({ message }) =>
    Effect.logWarning("grant.lowering_not_proposed").pipe(
      Effect.annotateLogs({ tenant: chain ?? "fleet", ...named, reason: message })
    )
  )

/** A proposal whose stored text is a document. */
interface Read {
  readonly proposal: GrantProposal
  readonly document: GrantDocument
}

const nameOf = (one: KindAndValues): string => `${one.kind} ${subjectOf(one)}`

/** What a lowering says in the words of the proposal before: the reason of a row may be one that no grant can say. */
const inWordsOf = (content: KindAndValues, before: Read | undefined): KindAndValues => {
  const said = before?.document.values
  if (said === undefined || !("reason" in content.values && "reason" in said)) return content
  return { ...content, values: { ...content.values, reason: said.reason } } as KindAndValues // a reason is a text in all kinds
}

/**
 * Proposes what rows say that operators have lowered and the chain does not, after a grant was appended or a proposal rejected: also what no proposal said
 * because another of its subject was open. What people have rejected stays rejected, and what was open ends when it would have ended.
 */
export const leaveAgain = Effect.fnUntraced(function* (
  services: GrantServices,
  chain: TenantId | null,
  { chain: known, ended, now, rows }: ProposalSight & { readonly ended: ReadonlyArray<Lowered> }
) {
  const state = known.tenant ?? known.fleet
  const stored = yield* orUnavailable(services.store.proposals(chain, now, listLimits.operatorLists.maximum))
  const proposals = stored.flatMap((proposal): ReadonlyArray<Read> => {
    const document = Result.getOrUndefined(readGrant(proposal.document))
    return document === undefined ? [] : [{ proposal, document }]
  })
  const isNext = ({ proposal }: Read) =>
    nextGrant(known, proposal, now) !== undefined && proposalOverruled(known, proposal, rows) === undefined
  const outdated = proposals.filter(
    (one) =>
      one.document.note === note &&
      lowerableKinds.has(one.document.kind) &&
      one.proposal.state === "OPEN" &&
      one.proposal.expiresAt > now &&
      !isNext(one)
  )
  const isSettled = (content: KindAndValues): boolean => {
    const about = proposals.filter(({ document }) => nameOf(document) === nameOf(content))
    if (about.some(isNext)) return true
    const newest = about.find(({ document }) => saidLowering(state, content, document))?.proposal
    if (newest?.state === "REJECTED") return newest.reason !== outdatedReason
    return newest?.state === "OPEN" && newest.expiresAt <= now
  }
  const names = new Set(outdated.map(({ document }) => nameOf(document)))
  const contents = [
    ...loweredIn(rows).flatMap((one) => loweredGrants(state, one)),
    // of these there may be many that nobody has approved in time
    ...ended.flatMap((one) => loweredGrants(state, one)).filter((one) => names.has(nameOf(one)))
  ]
  for (const subject of new Set([...contents.map(nameOf), ...names])) {
    const before = outdated.filter(({ document }) => nameOf(document) === subject)
    const by = before[0]?.proposal.proposedBy ?? service
    const until = before[0]?.proposal.expiresAt
    const leaving = Effect.gen(function* () {
      for (const content of contents.filter((one) => nameOf(one) === subject && !isSettled(one)))
        yield* leaveLowering(services, chain, {
          by,
          content: inWordsOf(content, before[0]),
          ...(until === undefined ? {} : { until })
        })
      // the old ones go last: if this ends here, they are found again
      for (const { proposal } of before) {
        const rejected = rejectGrant(proposal.id, { by: service, reason: outdatedReason })
        yield* submit(services.writer, chain ?? fleetTenantId, rejected)
      }
    })
    // one that cannot be proposed keeps no other from it
    yield* orUnproposed(leaving, { chain, what: "outdated", subject })
  }
})
