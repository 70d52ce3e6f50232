import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { ReconciliationBreak } from "./ReconciliationBreak.ts"

/**
 * Notes an operator's word on a break, for the fleet. It alarms nobody any more and stands until its difference has gone: what was
 * explained and what comes on top are told apart. Refused: one that is not there (`not_found`) or is closed (`state_conflict`).
 */
export const explainBreak = (id: string, note: string, by: string): Command<ReconciliationBreak> => ({
  name: "ExplainBreak",
  reads: [readRecord(ReconciliationBreak, id)],
  decide: (view) => {
    const found = view.get(ReconciliationBreak, id)
    if (found === undefined) return Result.fail(new Refusal({ code: "not_found", message: "There is no such break." }))
    if (found.closedAt !== null)
      return Result.fail(new Refusal({ code: "state_conflict", message: "The difference has gone: it is closed." }))
    const explained: ReconciliationBreak = { ...found, explanation: { by, note, at: view.now } }
    return Result.succeed({ changes: [putRecord(ReconciliationBreak, explained)], reply: explained })
  }
})
