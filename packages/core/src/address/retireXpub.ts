import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import { emit } from "../engine/emit.ts"
import { xpubEventData } from "./xpubEvent.ts"
import { Xpub } from "./Xpub.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/**
 * Derives no more addresses from a key; those already derived stay watched. Repeating changes nothing. Refuses with
 * `not_found` what the tenant does not have.
 */
export const retireXpub = (id: string): Command<Xpub> => ({
  name: "RetireXpub",
  reads: [readRecord(Xpub, id)],
  decide: (view) => {
    const xpub = view.get(Xpub, id)
    if (xpub === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such xpub." }))
    if (xpub.retiredAt !== null) return Result.succeed({ changes: [], reply: xpub })
    const retired: Xpub = { ...xpub, retiredAt: view.now }
    return Result.succeed({
      changes: [putRecord(Xpub, retired), emit(view, "xpub.retired", id, xpubEventData(retired))],
      reply: retired
    })
  }
})
