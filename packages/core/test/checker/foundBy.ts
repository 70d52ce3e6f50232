import type { Invariant, RowSteps, Violation } from "@bursar/core/checker/Invariant"
import { type SubjectRows, subjectsOf } from "@bursar/core/checker/subjects"
import type { Balance } from "@bursar/core/ledger/Leg"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Usage } from "@bursar/core/limit/Usage"
import type { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import type { AssetReservation } from "@bursar/core/operation/AssetReservation"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"

/** Rows of a tenant, as far as the rules of a test look at them. */
export type Rows = { readonly [K in keyof SubjectRows]?: ReadonlyArray<SubjectRows[K]> } & {
  readonly reservation?: ReadonlyArray<AssetReservation>
  readonly usage?: ReadonlyArray<Usage>
  readonly unsweptImports?: ReadonlyArray<UnsweptImports>
  readonly balances?: ReadonlyArray<Balance>
  /** How many postings and events the head counts, and when the tenant changed last. */
  readonly postings?: number
  readonly events?: number
  readonly lastAt?: number
}

const kinds = [
  "customer",
  "account",
  "operation",
  "quote",
  "incoming",
  "transaction",
  "payout",
  "attempt",
  "utxo",
  "sweepable",
  "sweep",
  "unsweptImports",
  "reservation",
  "job",
  "leg",
  "event",
  "usage",
  "deposit",
  "idempotencyRecord"
] as const

const all = () => true

/** Whether a row is filed under a subject of this run. Where all are, what the row is about is not asked: a test may leave it out. */
const isOwn = (kind: (typeof kinds)[number], row: unknown, owns: (subject: string) => boolean): boolean => {
  if (owns === all || kind === "reservation" || kind === "usage" || kind === "unsweptImports") return true
  const [own] = (subjectsOf[kind] as (row: unknown) => readonly [string, ...Array<string>])(row) // of that kind
  return owns(own)
}

/** What a rule finds wrong first in some rows, all of which it sees; of subjects that are another run's, it sees rows in part. */
export const foundBy = (rule: Invariant, rows: Rows, owns: (subject: string) => boolean = all): Violation => {
  const { balances = [], events = 0, lastAt = 0, postings = 0 } = rows
  const head = { tenant: tenantRecord(0), changeSeq: 0, eventId: events, postingSeq: postings, lastAt }
  const given = { head, balances, currencies: defaultCurrencies, owns }
  const whole = rule.run?.(given)
  const some = rule.bySubject?.(given)
  for (const kind of kinds)
    for (const row of rows[kind] ?? [])
      for (const steps of [whole, some?.all, isOwn(kind, row, owns) ? some : undefined]) {
        // a row of a kind goes to the step of that kind
        const step = (steps as RowSteps | undefined)?.[kind as keyof RowSteps] as
          | ((one: typeof row) => Violation)
          | undefined
        const found = step?.(row)
        if (found !== undefined) return found
      }
  return whole?.finish?.() ?? some?.finish?.()
}
