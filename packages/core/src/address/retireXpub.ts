import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { Xpub } from "./Xpub.ts"

/**
 * Derives no more addresses from a key; those already derived stay watched. Repeating changes nothing. Refuses with
 * `not_found` what the tenant does not have.
 */
export const retireXpub = (id: string): Command<Xpub> => ({
  name: "RetireXpub",
  reads: [{ _tag: "Xpub", id }],
  decide: (view) => {
    const xpub = view.xpub(id)
    if (xpub === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such xpub." }))
    if (xpub.retiredAt !== null) return Result.succeed({ changes: [], reply: xpub })
    const retired: Xpub = { ...xpub, retiredAt: view.now }
    return Result.succeed({ changes: [{ _tag: "XpubPut", xpub: retired }], reply: retired })
  }
})
