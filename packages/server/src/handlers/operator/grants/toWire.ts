import type { OperatorGrantEntry, OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Grant, GrantProposal } from "@bursar/core/grant/Grant"
import {
  type KnownChain,
  type Needed,
  neededFor,
  proposalOverruled,
  proposalProblem
} from "@bursar/core/grant/grantCommands"
import { type GrantChange, grantDiff } from "@bursar/core/grant/grantDiff"
import { type GrantDocument, readGrant } from "@bursar/core/grant/GrantDocument"
import { awaitingAdoption } from "@bursar/core/grant/GrantState"
import type { LowerableRows } from "@bursar/core/grant/overruled"
import { policyOver } from "@bursar/core/grant/policyOver"
import { type PolicyValues, sayableValues } from "@bursar/core/grant/PolicyValues"
import { shownChanges } from "@bursar/core/grant/shownChanges"
import { Result } from "effect"
import { isoOrNull } from "../../../wire/moment.ts"
import { rowValues } from "./rowValues.ts"

/** A grant of a chain. */
export const entryToWire = ({ approvals, document, hash, number, recordedAt }: Grant): OperatorGrantEntry => ({
  number,
  hash,
  document,
  approvals,
  recorded_at: toIso(recordedAt)
})

/** What a proposal is shown by: its chain, what operators may have lowered beside it, and when. */
export interface ProposalSight {
  readonly chain: KnownChain
  readonly rows: LowerableRows
  readonly now: number
}

/** Why nobody can approve an undecided proposal any more, which has not expired; undefined where people can. */
const whyOutdated = ({ chain, now, rows }: ProposalSight, proposal: GrantProposal): string | undefined => {
  const moved = proposalProblem(chain, proposal, now)
  if (moved !== undefined) return moved
  const read = readGrant(proposal.document)
  if (Result.isFailure(read)) return "Its stored text is no grant: somebody has changed it."
  const judged = neededFor(chain, read.success)
  return Result.isFailure(judged)
    ? `It can no longer hold (${judged.failure.code}): ${judged.failure.message}.`
    : proposalOverruled(chain, proposal, rows)
}

/** Where a proposal stands now, and why where it is OUTDATED. */
const stateNow = (
  sight: ProposalSight,
  proposal: GrantProposal
): { readonly state: OperatorGrantProposal["state"]; readonly why: string | null } => {
  if (proposal.state !== "OPEN") return { state: proposal.state, why: null }
  if (proposal.expiresAt <= sight.now) return { state: "EXPIRED", why: null }
  const why = whyOutdated(sight, proposal)
  return why === undefined ? { state: "OPEN", why: null } : { state: "OUTDATED", why }
}

/** The grants that an adoption confirms, with what they say and who approved them. */
const confirmedBy = ({ fleet, tenant }: KnownChain, { kind }: GrantDocument): OperatorGrantProposal["confirms"] =>
  kind !== "adoption" || tenant === undefined
    ? null
    : awaitingAdoption(fleet, tenant).map(({ approvedBy, grant: { document, number, values } }) => ({
        number,
        kind: document.kind,
        subject: document.subject,
        approved_by: approvedBy,
        values: grantDiff(undefined, values)
      }))

/** What becomes of a tenant's row by a policy that takes the place of another. Without what operators have lowered, that is what becomes of its chain. */
const rowChanges = (
  document: GrantDocument,
  judged: Needed,
  { tenant }: LowerableRows
): ReadonlyArray<GrantChange> | undefined => {
  if (document.kind !== "policy" || judged.before === undefined || tenant === undefined) return undefined
  const row = sayableValues(tenant, judged.before as PolicyValues) // what a policy replaces is one
  return grantDiff(row, policyOver(row, document.values, judged))
}

const areSame = (one: ReadonlyArray<GrantChange>, other: ReadonlyArray<GrantChange>): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** What an open proposal takes and changes; undefined where it can no longer be approved. */
const whileOpen = (chain: KnownChain, document: GrantDocument, rows: LowerableRows) => {
  const judged = neededFor(chain, document)
  if (Result.isFailure(judged)) return undefined
  const shown = shownChanges(document, judged.success, rowValues(document, rows))
  const inForce = rowChanges(document, judged.success, rows)
  return {
    needed: judged.success.needed,
    ...shown,
    inForce: inForce === undefined || areSame(inForce, shown.changes) ? null : inForce,
    confirms: confirmedBy(chain, document)
  }
}

/** A proposal as those see it who decide. One whose stored text is no document shows as OUTDATED: nobody can approve it. */
export const proposalToWire = (sight: ProposalSight, proposal: GrantProposal): OperatorGrantProposal => {
  const { chain, rows } = sight
  const read = Result.getOrUndefined(readGrant(proposal.document))
  const { state, why } = stateNow(sight, proposal)
  const open = state === "OPEN" && read !== undefined ? whileOpen(chain, read, rows) : undefined
  return {
    id: proposal.id,
    chain: chain.tenant?.tenantId ?? "fleet",
    number: proposal.number,
    hash: proposal.hash,
    document: proposal.document,
    kind: read?.kind ?? "",
    subject: read?.subject ?? "",
    note: read?.note ?? "",
    state,
    outdated_because: why,
    approvals: proposal.approvals.map(({ at, person }) => ({ person, at: toIso(at) })),
    approvals_needed: open?.needed ?? null,
    changes: open?.changes ?? null,
    in_force: open?.inForce ?? null,
    repeats: open?.repeats ?? false,
    confirms: open?.confirms ?? null,
    proposed_by: proposal.proposedBy,
    proposed_at: toIso(proposal.proposedAt),
    expires_at: toIso(proposal.expiresAt),
    decided_by: proposal.decidedBy,
    decided_at: isoOrNull(proposal.decidedAt),
    reason: proposal.reason
  }
}
