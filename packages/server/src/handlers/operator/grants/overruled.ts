import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { fleetTenantId, type GrantProposal } from "@bursar/core/grant/Grant"
import { type KnownChain, nextGrant, rejectGrant } from "@bursar/core/grant/grantCommands"
import { type GrantDocument, type KindAndValues, readGrant, subjectOf } from "@bursar/core/grant/GrantDocument"
import { undoesLowering } from "@bursar/core/granting/lowered"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import type { Writer } from "@bursar/core/engine/Writer"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { orUnavailable, submit } from "../../../refusals.ts"

/** What a proposal says that repeats what an operator has lowered. */
export const loweringNote = "An operator has done this already. Approve it, so that nobody undoes it alone."

/** Who proposes and rejects where no operator asked for it. */
export const service = "service"

/** Why a proposal was rejected that could undo what was lowered after it was made. */
const overruledReason = "An operator has lowered this since. Propose it again if it is to hold all the same."

/** Where proposals stand, and what rejects one. */
interface Stored {
  readonly store: GrantStore["Service"]
  readonly writer: Writer["Service"]
}

/** A proposal whose stored text is a document. */
export interface ReadProposal {
  readonly proposal: GrantProposal
  readonly document: GrantDocument
}

/** The kind and the subject of a grant, as one name. */
export const nameOf = (one: KindAndValues): string => `${one.kind} ${subjectOf(one)}`

/** The proposals of a chain that can be read, newest first. */
export const readProposals = Effect.fnUntraced(function* ({ store }: Pick<Stored, "store">, chain: TenantId | null) {
  const stored = yield* orUnavailable(store.proposals(chain, listLimits.operatorLists.maximum))
  return stored.flatMap((proposal): ReadonlyArray<ReadProposal> => {
    const document = Result.getOrUndefined(readGrant(proposal.document))
    return document === undefined ? [] : [{ proposal, document }]
  })
})

/** Rejects what is open and would undo what an operator has lowered: who approved it has not seen that it does, and with one person more it would. */
export const rejectOverruled = Effect.fnUntraced(function* (
  services: Stored,
  chain: TenantId | null,
  { content, known }: { readonly content: KindAndValues; readonly known: KnownChain }
) {
  const now = yield* Clock.currentTimeMillis
  for (const { document, proposal } of yield* readProposals(services, chain)) {
    const undoes = undoesLowering(known.tenant ?? known.fleet, content, document)
    if (!undoes || nextGrant(known, proposal, now) === undefined) continue
    const rejected = rejectGrant(proposal.id, { by: service, reason: overruledReason })
    yield* submit(services.writer, chain ?? fleetTenantId, rejected)
  }
})

/** Refuses a document that brings its approvals along and was made before an operator has lowered what it would put back. */
export const checkOverruled = (
  services: Pick<Stored, "store">,
  chain: TenantId | null,
  { document, known }: { readonly document: GrantDocument; readonly known: KnownChain }
): Effect.Effect<void, ApiError> => {
  const madeAt = Date.parse(document.proposed_at)
  return Effect.flatMap(readProposals(services, chain), (proposals) => {
    const later = proposals.find(
      (one) =>
        one.document.note === loweringNote &&
        one.proposal.state !== "GRANTED" &&
        one.proposal.proposedAt > madeAt &&
        undoesLowering(known.tenant ?? known.fleet, one.document, document)
    )
    return later === undefined
      ? Effect.void
      : Effect.fail(
          apiError("state_conflict", {
            message: `An operator has lowered this since the document was made (proposal ${later.proposal.id}). Propose it anew if it is to hold all the same.`
          })
        )
  })
}
