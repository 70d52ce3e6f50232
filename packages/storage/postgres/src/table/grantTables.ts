import { type GivenApproval, type Grant, GrantProposal, proposalStates } from "@bursar/core/grant/Grant"
import { Approval } from "@bursar/core/grant/Approval"
import { timestampMax, timestampMin } from "@bursar/core/base/Timestamp"
import { Predicate, Schema } from "effect"
import * as Cell from "../internal/cells.ts"
import { int8, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The grants of all chains. */
export const grantTable: RecordTable<Grant, number> = {
  name: "grant_entry",
  key: ["number"],
  keyColumns: [bigintColumn("number", int8, (number) => number)],
  columns: [
    bigintColumn("number", int8, ({ number }) => number),
    column("hash", text, ({ hash }) => hash),
    column("document", text, ({ document }) => document),
    column("approvals", json, ({ approvals }) => approvals),
    column("recorded_at", timestamptz, ({ recordedAt }) => recordedAt),
    column("proposal_id", uuid, ({ proposalId }) => proposalId)
  ],
  read: (row) => ({
    number: Cell.int(row.number),
    hash: Cell.text(row.hash),
    document: Cell.text(row.document),
    approvals: Cell.json<ReadonlyArray<Approval>>(row.approvals),
    recordedAt: Cell.at(row.recorded_at),
    proposalId: Cell.textOrNull(row.proposal_id)
  })
}

const isApproval = Schema.is(Approval)

const isMoment = (at: unknown): boolean =>
  Number.isInteger(at) && Number(at) >= timestampMin && Number(at) <= timestampMax

const isGivenApproval = (one: unknown): one is GivenApproval =>
  Predicate.isObject(one) && typeof one["person"] === "string" && isMoment(one["at"]) && isApproval(one["approval"])

/**
 * The proposals of all chains. What stands among the approvals and is none counts as none, as each is verified before it counts: whoever writes it could
 * hide all proposals of a chain otherwise, and keep that one from being rejected.
 */
export const grantProposalTable: RecordTable<GrantProposal> = {
  name: "grant_proposal",
  key: ["proposal_id"],
  keyType: uuid,
  columns: [
    column("proposal_id", uuid, ({ id }) => id),
    column(groupColumn, text, GrantProposal.group),
    bigintColumn("number", int8, ({ number }) => number),
    column("hash", text, ({ hash }) => hash),
    column("document", text, ({ document }) => document),
    column("approvals", json, ({ approvals }) => approvals),
    column("state", text, ({ state }) => state),
    column("proposed_by", text, ({ proposedBy }) => proposedBy),
    column("proposed_at", timestamptz, ({ proposedAt }) => proposedAt),
    column("expires_at", timestamptz, ({ expiresAt }) => expiresAt),
    column("decided_by", text, ({ decidedBy }) => decidedBy),
    column("decided_at", timestamptz, ({ decidedAt }) => decidedAt),
    column("reason", text, ({ reason }) => reason)
  ],
  read: (row) => ({
    id: Cell.text(row.proposal_id),
    number: Cell.int(row.number),
    hash: Cell.text(row.hash),
    document: Cell.text(row.document),
    approvals: Cell.list(row.approvals, isGivenApproval),
    state: Cell.oneOf(proposalStates, row.state),
    proposedBy: Cell.text(row.proposed_by),
    proposedAt: Cell.at(row.proposed_at),
    expiresAt: Cell.at(row.expires_at),
    decidedBy: Cell.textOrNull(row.decided_by),
    decidedAt: Cell.atOrNull(row.decided_at),
    reason: Cell.textOrNull(row.reason)
  })
}
