import type { PlaceObservation, ReconciliationBreak } from "@bursar/api/operator/OperatorReconciliation"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const amountOf = (money: { readonly amount: string } | null): string => money?.amount ?? "not told"

const placeRow = (one: PlaceObservation) => ({
  place: one.place,
  currency: one.currency,
  ledger: one.ledger.amount,
  "in flight": one.in_flight.amount,
  observed: one.observation === "unsupported" ? "unsupported" : amountOf(one.observed),
  difference: amountOf(one.difference),
  at: one.block_number === null ? one.observed_at : `block ${one.block_number}`
})

const breakRow = (one: ReconciliationBreak) => ({
  break: one.id,
  place: one.place,
  difference: `${one.difference.amount} ${one.currency}`,
  since: one.since,
  state: one.state,
  note: one.note,
  candidates: one.candidates.map(({ id }) => id)
})

const explain = Command.make(
  "explain",
  {
    ...connectionFlags,
    id: Argument.String("break").pipe(Argument.withDescription("The break's id")),
    note: Flag.String("note").pipe(Flag.withDescription("Why it is there"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const params = { break_id: options.id }
    yield* printRecord(options.json, yield* client.reconciliation.explain({ params, payload: { note: options.note } }))
  })
).pipe(Command.withDescription("Note why a break is there, so that it alarms nobody any more"))

const breaks = Command.make(
  "breaks",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { breaks: found } = yield* client.reconciliation.breaks({ query: {} })
    yield* printRows(options.json, options.json ? found : found.map(breakRow), "There has been no break.")
  })
).pipe(Command.withDescription("Show open and closed breaks, newest first"))

const show = Command.make(
  "reconcile",
  connectionFlags,
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.reconciliation.show()
    if (options.json) return yield* printRecord(true, found)
    yield* printRows(false, found.places.map(placeRow), "Nothing has been observed yet.")
    yield* Console.log("")
    return yield* printRows(false, found.breaks.map(breakRow), "No break is open.")
  })
).pipe(Command.withDescription("Compare the books with the chains, the custodian and the bank"))

/** `bursar reconcile` */
export const reconcileCommand: typeof show = show.pipe(Command.withSubcommands([breaks, explain]))
