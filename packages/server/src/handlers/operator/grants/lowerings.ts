import type { ApiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { nextGrant, rejectGrant } from "@bursar/core/grant/grantCommands"
import { type GrantDocument, type KindAndValues, readGrant } from "@bursar/core/grant/GrantDocument"
import type { GrantState } from "@bursar/core/grant/GrantState"
import { loweredGrants, lowering } from "@bursar/core/granting/lowered"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { orUnavailable, submit } from "../../../refusals.ts"
import { type GrantServices, propose } from "./change.ts"
import { type LowerableRows, rowValues } from "./rowValues.ts"
import type { ProposalSight } from "./toWire.ts"

/** What a proposal says that repeats what an operator has lowered. */
const note = "An operator has done this already. Approve it, so that nobody undoes it alone."

/** For how long such a proposal stands open. */
const expiresInHours = 744

/** Leaves a proposal of what an operator has lowered without a grant. */
export const leaveLowering = (
  services: GrantServices,
  chain: TenantId | null,
  { by, content }: { readonly by: string; readonly content: KindAndValues }
): Effect.Effect<unknown, ApiError> => propose(services, chain, { content, note, by, hours: expiresInHours })

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

/** What rows still say, and the chain does not, of what a proposal repeats. */
const stillLowered = (state: GrantState, document: GrantDocument, rows: LowerableRows) => {
  if (document.kind === "policy")
    return rows.tenant === undefined ? [] : loweredGrants(state, { _tag: "PolicyLowered", tenant: rows.tenant })
  const row = rowValues(document, rows) ?? document.values
  // the reason in a row is no part of what is approved: it may be one that no grant can say
  const values = "reason" in document.values ? { ...row, reason: document.values.reason } : row
  return lowering(state, { kind: document.kind, values } as KindAndValues) // values are of the document's kind
}

/** Proposes again what operators have lowered where a grant that was appended since, or other approvers, have outdated the proposal of it. */
export const leaveAgain = Effect.fnUntraced(function* (
  services: GrantServices,
  chain: TenantId | null,
  { chain: known, now, rows }: ProposalSight
) {
  const state = known.tenant ?? known.fleet
  const proposals = yield* orUnavailable(services.store.proposals(chain, listLimits.operatorLists.maximum))
  const done = new Set<string>()
  for (const proposal of proposals) {
    const { document: text, expiresAt, id, proposedBy: by, state: standing } = proposal
    if (standing !== "OPEN" || expiresAt <= now || nextGrant(known, proposal, now) !== undefined) continue
    const document = Result.getOrUndefined(readGrant(text))
    if (document?.note !== note) continue
    const subject = `${document.kind} ${document.subject}`
    const leaving = Effect.gen(function* () {
      if (!done.has(subject))
        for (const content of stillLowered(state, document, rows))
          yield* leaveLowering(services, chain, { by, content })
      done.add(subject)
      // the old one goes last: if this ends here, it is found again
      const reason = "Another grant was appended first. What still holds of it is proposed again."
      yield* submit(services.writer, chain ?? fleetTenantId, rejectGrant(id, { by, reason }))
    })
    // one that cannot be proposed keeps no other from it
    yield* orUnproposed(leaving, { chain, what: "outdated", subject })
  }
})
