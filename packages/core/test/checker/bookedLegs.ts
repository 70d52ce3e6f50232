import { operationLegs } from "@bursar/core/checker/legInvariant"
import type { Account } from "@bursar/core/ledger/Account"
import type { LegPurpose, PostedLeg } from "@bursar/core/ledger/Leg"
import type { Operation } from "@bursar/core/operation/Operation"
import { assert } from "@effect/vitest"
import { foundBy, type Rows } from "./foundBy.ts"

/** One account debited and another credited: so many base units, for a purpose, in a currency (EUR where none is named). */
export type Entry = readonly [debited: Account, credited: Account, units: bigint, what: LegPurpose, currency?: string]

/** The legs of some entries, as an operation or an outbound transaction has them. */
export const booked = (owner: string, entries: ReadonlyArray<Entry>): ReadonlyArray<PostedLeg> =>
  entries.flatMap(([debited, credited, units, what, currency = "EUR"]) => {
    const leg = { currency, units, what, operationId: owner, postingSeq: 1, balance: 0n, version: 1, postedAt: 0 }
    return [
      { ...leg, account: debited, direction: "DEBIT", ordinal: 0 },
      { ...leg, account: credited, direction: "CREDIT", ordinal: 1 }
    ] as const
  })

/** These legs are those that the rows must have. */
export const hasLegs = (rows: Rows, leg: ReadonlyArray<PostedLeg>, why = "") =>
  assert.strictEqual(foundBy(operationLegs, { ...rows, leg }) ?? "nothing", "nothing", why)

/** These legs are not those that the rows must have. */
export const lacksLegs = (rows: Rows, leg: ReadonlyArray<PostedLeg>, why = "") =>
  assert.isDefined(foundBy(operationLegs, { ...rows, leg }), why)

const elsewhere = (account: Account): Account => (account === "network_fees" ? "suspense" : "network_fees")

/** The rows must have the legs of these entries, and no others: none less, none more, of no other amount, for no other purpose and nowhere else. */
export const hasOnly = (rows: Rows, owner: string, entries: ReadonlyArray<Entry>, why = "") => {
  hasLegs(rows, booked(owner, entries), why)
  for (const [at, entry] of entries.entries()) {
    const name = `${why}, ${entry.join(" ")}`
    const [debited, credited, units, what, currency = "EUR"] = entry
    lacksLegs(rows, booked(owner, entries.toSpliced(at, 1)), `${name} is missing`)
    lacksLegs(rows, booked(owner, [...entries, entry]), `${name} stands twice`)
    const others: ReadonlyArray<Entry> = [
      [debited, credited, units + 1n, what, currency],
      [debited, credited, units, what === "top_up" ? "fee" : "top_up", currency],
      [debited, credited, units, what, currency === "GBP" ? "EUR" : "GBP"],
      [elsewhere(debited), credited, units, what, currency],
      [debited, elsewhere(credited), units, what, currency]
    ]
    for (const other of others)
      lacksLegs(rows, booked(owner, entries.with(at, other)), `${name} became ${other.join(" ")}`)
  }
  lacksLegs(rows, booked(owner, [...entries, ["exchange", "float:available", 1n, "principal"]]), `${why}, and one more`)
}

/** An operation must have the legs of these entries, and no others. */
export const operationHas = (operation: Operation, entries: ReadonlyArray<Entry>, why = "") =>
  hasOnly({ operation: [operation] }, operation.id, entries, `${why} ${operation.kind} ${operation.status}`)
