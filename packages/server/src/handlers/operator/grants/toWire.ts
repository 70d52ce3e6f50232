import type { OperatorGrantEntry, OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Grant, GrantProposal } from "@bursar/core/grant/Grant"
import { type KnownChain, neededFor, proposalProblem } from "@bursar/core/grant/grantCommands"
import { grantDiff } from "@bursar/core/grant/grantDiff"
import { type GrantDocument, readGrant } from "@bursar/core/grant/GrantDocument"
import { valuesBefore } from "@bursar/core/grant/judgeGrant"
import { Result } from "effect"
import { isoOrNull } from "../../../wire/moment.ts"

/** A grant of a chain. */
export const entryToWire = ({ approvals, document, hash, number, recordedAt }: Grant): OperatorGrantEntry => ({
  number,
  hash,
  document,
  approvals,
  recorded_at: toIso(recordedAt)
})

/** Where a proposal stands now. */
const stateNow = (chain: KnownChain, proposal: GrantProposal, now: number): OperatorGrantProposal["state"] => {
  if (proposal.state !== "OPEN") return proposal.state
  if (proposal.expiresAt <= now) return "EXPIRED"
  return proposalProblem(chain, proposal, now) === undefined ? "OPEN" : "OUTDATED"
}

/** What an open proposal takes and changes; undefined where it can no longer be approved. */
const whileOpen = (chain: KnownChain, document: GrantDocument) => {
  const judged = neededFor(chain, document)
  if (Result.isFailure(judged)) return undefined
  const { authority, needed } = judged.success
  const before = valuesBefore(chain.tenant ?? chain.fleet, authority, document)
  return { needed, changes: grantDiff(before, document.values) }
}

/** A proposal as those see it who decide. One whose stored text is no document shows as OUTDATED: nobody can approve it. */
export const proposalToWire = (chain: KnownChain, proposal: GrantProposal, now: number): OperatorGrantProposal => {
  const read = Result.getOrUndefined(readGrant(proposal.document))
  const state = stateNow(chain, proposal, now)
  const open = state === "OPEN" && read !== undefined ? whileOpen(chain, read) : undefined
  return {
    id: proposal.id,
    chain: chain.tenant?.tenantId ?? "fleet",
    number: proposal.number,
    hash: proposal.hash,
    document: proposal.document,
    kind: read?.kind ?? "",
    subject: read?.subject ?? "",
    note: read?.note ?? "",
    state: state === "OPEN" && open === undefined ? "OUTDATED" : state,
    approvals: proposal.approvals.map(({ at, person }) => ({ person, at: toIso(at) })),
    approvals_needed: open?.needed ?? null,
    changes: open?.changes ?? null,
    proposed_by: proposal.proposedBy,
    proposed_at: toIso(proposal.proposedAt),
    expires_at: toIso(proposal.expiresAt),
    decided_by: proposal.decidedBy,
    decided_at: isoOrNull(proposal.decidedAt),
    reason: proposal.reason
  }
}
