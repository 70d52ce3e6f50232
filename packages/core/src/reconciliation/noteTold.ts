import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { ReconciliationBreak } from "./ReconciliationBreak.ts"

/** Notes that an alarm over a break was told, for the fleet. One that is not there, or that nobody was to be told of, stays as it is. */
export const noteTold = (id: string): Command<null> => ({
  name: "NoteBreakTold",
  reads: [readRecord(ReconciliationBreak, id)],
  decide: (view) => {
    const found = view.get(ReconciliationBreak, id)
    const isNew = found !== undefined && found.alarmedAt !== null && found.toldAt === null
    return Result.succeed({
      changes: isNew ? [putRecord(ReconciliationBreak, { ...found, toldAt: view.now })] : [],
      reply: null
    })
  }
})
