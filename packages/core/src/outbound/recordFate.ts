import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { Fate } from "../port/ChainSender.ts"
import { concludeFinal, type Concluding } from "./concludeFinal.ts"
import { concludeImpossible } from "./concludeImpossible.ts"
import { endSpendReads } from "./endSpend.ts"
import { evidenceReads } from "./evidenceOf.ts"
import { canMoveSpend, followSpend, moveSpend, putSpend, spendReads } from "./moveSpend.ts"
import { flagOpen } from "./openPayouts.ts"
import { spendTopic } from "./sendTopic.ts"
import type { Spend } from "./Spend.ts"

/** What the chain says of the transactions of a spend. */
export interface RecordFate extends Concluding {
  /** As it was read. */
  readonly spend: Spend
  /** The hashes that the chain was asked about: where another was signed since, what was said counts for nothing. */
  readonly asked: ReadonlyArray<string>
  readonly fate: Fate
  /** When to look again, where this is not the end. */
  readonly nextAt: Timestamp
  /** For how long a spend may be in no block before its outcome counts as unknown, in milliseconds. */
  readonly unresolvedAfterMs: number
}

/** What cannot be concluded is shown and looked at again; a person has to find out what it means. */
const puzzled = (view: View, spend: Spend, command: RecordFate, problem: string): ReadonlyArray<Change> => [
  ...putSpend(view, spend, { ...spend, problem }),
  ...flagOpen(view, spend, command.currencies),
  schedule(spendTopic(spend.network), spend.id, command.nextAt)
]

const waiting = (view: View, spend: Spend, command: RecordFate): ReadonlyArray<Change> => {
  const { currencies, nextAt, unresolvedAfterMs } = command
  const lost = spend.phase === "INCLUDED" ? moveSpend(view, spend, "lost", { blockNumber: null }) : undefined
  const since = spend.sentAt ?? spend.signedAt ?? spend.reservedAt
  return [
    ...(lost === undefined ? [] : [...lost.changes, ...followSpend(view, lost.spend)]),
    ...(view.now - since >= unresolvedAfterMs ? flagOpen(view, spend, currencies) : []),
    schedule(spendTopic(spend.network), spend.id, nextAt)
  ]
}

const included = (
  view: View,
  spend: Spend,
  command: RecordFate,
  { blockNumber }: Extract<Fate, { readonly _tag: "Included" }>
): ReadonlyArray<Change> => {
  const again = schedule(spendTopic(spend.network), spend.id, command.nextAt)
  if (spend.phase === "INCLUDED" && spend.blockNumber === blockNumber) return [again]
  const after = moveSpend(view, spend, "included", { blockNumber, asked: null, problem: null })
  return [...after.changes, ...followSpend(view, after.spend), again]
}

/**
 * Whether what operators know counts beside what the chain says of a spend: nothing that was signed for it has made a payment, or
 * ever can.
 */
export const asksForEvidence = (fate: Fate): boolean =>
  fate._tag === "Impossible" || (fate._tag === "Final" && fate.effect === "missing")

/**
 * Draws what follows from the chain's word on a spend. Payouts are settled by a final transaction that made them, and failed by
 * one that reverted or by the proof that none can take effect; an expired one is tried again in a fresh spend, up to `attemptsMax`
 * times. One that another transaction is proven to have made, which an operator gave as evidence, is settled by that once none of its
 * own can take effect, or its own has and the payment is not there. Everything else is not an end: it waits, flagged unresolved where it takes too long or contradicts itself. Sending it
 * twice concludes once. Replies with the spend as it was before where it is not over, else null.
 */
export const recordFate = (command: RecordFate): Command<Spend | null> => ({
  name: "RecordFate",
  reads: [
    ...spendReads(command.spend),
    ...endSpendReads(command.spend, command.currencies),
    ...(asksForEvidence(command.fate) ? evidenceReads(command.spend, command.evidence ?? []) : [])
  ],
  decide: (view) => {
    const spend = view.record("Spend", command.spend.id)
    if (spend === undefined || !canMoveSpend(spend, "concluded")) return Result.succeed({ changes: [], reply: null })
    const { fate } = command
    const outdated = spend.hashes.some((hash) => !command.asked.includes(hash))
    // what is final stays so, whatever was signed since; the rest was said of fewer transactions than there are
    if (outdated && fate._tag !== "Final") return Result.succeed({ changes: [], reply: spend })
    switch (fate._tag) {
      case "Waiting":
        return Result.succeed({ changes: waiting(view, spend, command), reply: spend })
      case "Included":
        return Result.succeed({ changes: included(view, spend, command, fate), reply: spend })
      case "Final":
      case "Impossible": {
        const concluded =
          fate._tag === "Final"
            ? concludeFinal(view, spend, command, fate)
            : concludeImpossible(view, spend, command, fate)
        const changes = Result.getOrElse(concluded, (problem) => puzzled(view, spend, command, problem))
        return Result.succeed({ changes, reply: null })
      }
    }
  }
})
