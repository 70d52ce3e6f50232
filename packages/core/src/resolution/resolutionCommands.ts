import { Result } from "effect"
import { custodianQueue } from "../custody/CustodyStep.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { CommonDetails } from "../operation/details/CommonDetails.ts"
import { newlyNoted, notedOf } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { watchAgain } from "../operation/resolved.ts"
import { lastWord } from "../operation/said.ts"
import { asEvidence } from "../payout/asEvidence.ts"
import type { Proof } from "../port/ChainSender.ts"
import { isTransfer, transferQueue } from "../transfer/Transfer.ts"
import { applyStatement, statementReads, withDetails } from "./applyStatement.ts"
import { Resolution, type Statement } from "./Resolution.ts"
import type { StatementFacts } from "./statedAnswer.ts"

/** What an operator says became of an operation. */
export interface ProposeResolution extends StatementFacts {
  /** As it was read. */
  readonly operation: Operation
  readonly statement: Statement
  readonly by: string
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

const notThere = Result.fail(new Refusal({ code: "not_found", message: "There is no such resolution." }))

/**
 * Proposes what became of an operation. Nothing moves before another operator approves it; what could not be applied as things stand
 * is refused at once, as `applyStatement` does. One proposal at a time waits for each operation (`state_conflict`).
 */
export const proposeResolution = ({ by, operation, statement, ...facts }: ProposeResolution): Command<Resolution> => ({
  name: "ProposeResolution",
  reads: [readGroup(Resolution, operation.id), ...statementReads(operation, statement, facts)],
  decide: (view) =>
    Result.flatMap(applyStatement(view, operation, statement, facts), () => {
      const open = view.group(Resolution, operation.id).find(({ state }) => state === "PROPOSED")
      if (open !== undefined) return conflict(`A resolution is waiting already: ${open.id}.`)
      const now = view.get(Operation, operation.id)
      const resolution: Resolution = {
        ...statement,
        id: view.newId(),
        operationId: operation.id,
        state: "PROPOSED",
        proposedBy: by,
        said: now?.details.said ?? null,
        noted: now === undefined ? [] : notedOf(now),
        decidedBy: null,
        rejectedReason: null,
        createdAt: view.now,
        decidedAt: null
      }
      return Result.succeed({ changes: [putRecord(Resolution, resolution)], reply: resolution })
    })
})

/** An operator's word on a proposal. */
export interface DecideResolution extends StatementFacts {
  /** As it was read: what it says never changes. */
  readonly resolution: Resolution
  /** As it was read. */
  readonly operation: Operation
  readonly by: string
  /** What the chain says now of the transaction that it stands on; null where it stands on none. */
  readonly proof: Proof | null
}

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** What the details of the operation keep of how it was resolved. */
const resolvedBy = (resolution: Resolution, by: string, now: number): Pick<CommonDetails, "resolution"> => ({
  resolution: {
    id: resolution.id,
    outcome: resolution.outcome,
    basis: resolution.basis,
    proposed_by: resolution.proposedBy,
    approved_by: by,
    at: now,
    received_units: resolution.received === null ? null : resolution.received.units.toString(),
    received_currency: resolution.received?.currency ?? null
  }
})

/** Why the chain keeps a resolution from being applied; undefined where it does not. Blocks can be replaced between the two words. */
const disproved = ({ basis }: Resolution, said: Proof | null): string | undefined => {
  const proof = said === null ? null : asEvidence(said)
  if (basis !== "CHAIN" || proof?.verdict === "PROVEN") return undefined
  return `The chain does not prove that transaction now: ${proof?.reason ?? "it was not asked"}.`
}

/** Why what the provider has said since a proposal keeps it from being applied: the two would not decide on the same. Undefined where nothing does. */
const overtaken = ({ noted, said: before }: Resolution, operation: Operation | undefined): string | undefined => {
  const stale = (said: string) => `The proposal is stale: its provider has said ${said}. Reject it, and propose anew.`
  const now = operation?.details.said ?? null
  if (now !== before) return stale(`"${now ?? "nothing"}" since, where it had said "${before ?? "nothing"}"`)
  // what it says by an id that was replaced is noted, and no more
  const news = operation && newlyNoted(operation, noted)[0]
  return news && stale(`"${news.said}" since`)
}

/**
 * Approves a proposal: another operator than the one who made it. The operation ends as if its provider had said so, and the
 * provider is asked for a while longer, in case it says something else. Refused: `not_found`; a proposal that was decided, is the
 * approver's own, stands on a transaction that the chain does not prove any more, or since which the provider has said
 * something else (`state_conflict`); what cannot be applied any more, as `applyStatement` does.
 */
export const approveResolution = ({
  by,
  operation,
  proof,
  resolution: read,
  ...facts
}: DecideResolution): Command<Resolution> => ({
  name: "ApproveResolution",
  reads: [readRecord(Resolution, read.id), ...statementReads(operation, read, facts)],
  decide: (view) => {
    const found = view.get(Resolution, read.id)
    if (found === undefined || found.operationId !== operation.id) return notThere
    if (found.state !== "PROPOSED") return conflict(`The resolution is ${found.state}.`)
    if (sameName(found.proposedBy, by)) return conflict("Whoever proposed a resolution cannot approve it.")
    const wrong = disproved(found, proof) ?? overtaken(found, view.get(Operation, operation.id))
    if (wrong !== undefined) return conflict(wrong)
    return Result.map(applyStatement(view, operation, found, facts), ({ changes, operation: after }) => {
      const word = withDetails(resolvedBy(found, by, view.now))
      const applied: Resolution = { ...found, state: "APPLIED", decidedBy: by, decidedAt: view.now }
      const queue = isTransfer(after.kind) ? transferQueue : custodianQueue
      const all: ReadonlyArray<Change> = [
        ...lastWord(changes, after.id, word),
        // a transfer that settled is asked about anyway, for its return
        ...(after.status === "SETTLED" && isTransfer(after.kind) ? [] : [watchAgain(queue, word(after), view.now)]),
        putRecord(Resolution, applied)
      ]
      return { changes: all, reply: applied }
    })
  }
})

/** Rejects a proposal; whoever made it may take it back. Nothing moves. Refused: `not_found`; one that was decided (`state_conflict`). */
export const rejectResolution = (operationId: string, id: string, by: string, reason: string): Command<Resolution> => ({
  name: "RejectResolution",
  reads: [readRecord(Resolution, id)],
  decide: (view) => {
    const found = view.get(Resolution, id)
    if (found === undefined || found.operationId !== operationId) return notThere
    if (found.state !== "PROPOSED") return conflict(`The resolution is ${found.state}.`)
    const rejected: Resolution = {
      ...found,
      state: "REJECTED",
      decidedBy: by,
      rejectedReason: reason,
      decidedAt: view.now
    }
    return Result.succeed({ changes: [putRecord(Resolution, rejected)], reply: rejected })
  }
})
