import { Result } from "effect"
import type { Command } from "../../engine/Command.ts"
import { putRecord, readGroup } from "../../engine/Records.ts"
import { positionKey } from "../Place.ts"
import { ReconciliationBreak, subjectKey } from "../ReconciliationBreak.ts"
import type { StatementVerdict } from "./judgeStatement.ts"

/** What verdicts have changed. */
export interface VerdictsRecorded {
  readonly opened: ReadonlyArray<ReconciliationBreak>
  readonly closed: ReadonlyArray<ReconciliationBreak>
}

/**
 * Records what statements show of operations and lines of a currency at a place, for the fleet: opens a break for each that does not agree,
 * and closes that of one that agrees by now. A break of the same amount that was found by what the place holds, and that nobody has
 * explained, is the same break: from now on it is known what it is about.
 */
export const recordVerdicts = (
  place: string,
  currency: string,
  verdicts: ReadonlyArray<StatementVerdict>
): Command<VerdictsRecorded> => {
  const group = positionKey(place, currency)
  return {
    name: "RecordStatementVerdicts",
    reads: [readGroup(ReconciliationBreak, group)],
    decide: (view) => {
      const all = view.group(ReconciliationBreak, group)
      // by what each is about, and of those about nothing by the amount: a file of another account makes thousands
      // several are about the same where currencies with a break each have joined: together they are what does not agree
      const known = Map.groupBy(all, ({ about }) => (about === null ? null : subjectKey(about)))
      // one that somebody has explained was explained as something else: this one has to be looked at
      const bare = Map.groupBy(
        all.filter(({ about, explanation }) => about === null && explanation === null),
        ({ units }) => units
      )
      const opened: Array<ReconciliationBreak> = []
      const closed: Array<ReconciliationBreak> = []
      const adopted: Array<ReconciliationBreak> = []
      for (const { about, candidates, since, units } of verdicts) {
        const before = known.get(subjectKey(about)) ?? []
        const sum = before.reduce((total, one) => total + one.units, 0n)
        if (sum === units && (units !== 0n || before.length === 0)) continue
        closed.push(...before.map((one) => ({ ...one, closedAt: view.now })))
        known.delete(subjectKey(about))
        if (units === 0n) continue
        const same = bare.get(units)?.shift()
        if (same !== undefined) {
          adopted.push({ ...same, about, candidates })
          continue
        }
        opened.push({
          id: view.newId(),
          place,
          currency,
          units,
          since,
          sinceBlock: null,
          candidates,
          about,
          explanation: null,
          alarmedAt: null,
          toldAt: null,
          closedAt: null
        })
      }
      const changes = [...closed, ...adopted, ...opened].map((one) => putRecord(ReconciliationBreak, one))
      return Result.succeed({ changes, reply: { opened, closed } })
    }
  }
}
