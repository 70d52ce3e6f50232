import { Effect, Stream } from "effect"
import type { DestinationLog } from "./destinationLog.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { defaultCurrencies } from "../money/defaultCurrencies.ts"
import type { TenantLedger } from "./LedgerSnapshot.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { destinationDigest } from "../destination/destinationDigest.ts"
import type { Violation, Invariant, InvariantRun } from "./Invariant.ts"
import { type CheckPlace, checkSubjects } from "./checkSubjects.ts"
import { invariants } from "./invariants.ts"
import { judging } from "./judging.ts"
import { Destination } from "../destination/Destination.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { Payout } from "../payout/Payout.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { UnsweptImports } from "../operation/UnsweptImports.ts"
import { SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"
import { Usage } from "../limit/Usage.ts"

/** What a pass found in a tenant's records: null where they keep the rule, else the first row that breaks it. */
export interface InvariantResult {
  readonly invariant: string
  readonly rule: string
  readonly firstWrong: string | null
}

/** What the books are held against beside themselves. */
export interface CheckSettings {
  /** The currencies of the service, which events tell amounts in. Default: those of the contract. */
  readonly currencies?: CurrencyTable
  /** What the log of operators' actions says of destinations (`readDestinationLog`). It is not asked where absent. */
  readonly destinationLog?: DestinationLog
  /** Is told now and then how many more rows were read since it was told last. */
  readonly progress?: (rows: number) => Effect.Effect<void>
  /** Where to go on after a run that was broken off, and where to keep how far this one has come. */
  readonly place?: CheckPlace | undefined
  /** How many rows of each kind are read at a time. */
  readonly readRows?: number
}

/** The rule that every row can be read. What cannot be read is left out of all other rules, which may miss it. */
export const readableRows = {
  name: "rows",
  rule: "every row can be read as what it has to be, and is found under all that it names"
} as const

/** The rule on what is kept in sum beside the operations. */
export const keptTotals = {
  name: "totals",
  rule: "the totals that summaries are read from are what the operations come to"
} as const

/** How many rows of each kind are read at a time where they are held against each other. */
const usualReadRows = 500

interface Running {
  readonly invariant: Invariant
  readonly run: InvariantRun
  found: Violation
}

/**
 * Re-derives everything of a tenant from its entries and names the first wrong row per rule: first in one pass over what counts in sums and sequences, then by what
 * rows are about, some at a time. So it holds a bounded number of rows, however many there are. A row that cannot be read, or that a rule cannot make sense of, is named and stops no other rule.
 */
export const checkTenant = (
  ledger: TenantLedger,
  {
    currencies = defaultCurrencies,
    destinationLog,
    place,
    progress = () => Effect.void,
    readRows = usualReadRows
  }: CheckSettings = {}
): Effect.Effect<ReadonlyArray<InvariantResult>, StorageError> =>
  Effect.gen(function* () {
    const { balances, head } = ledger
    const given = { balances, head, currencies, destinationLog }
    const running = invariants.map((invariant): Running => ({
      invariant,
      run: invariant.run?.(given) ?? {},
      found: undefined
    }))
    const over = <A>(rows: Stream.Stream<A, StorageError>, step: (run: InvariantRun, row: A) => Violation) =>
      Stream.runForEachArray(rows, (some) => {
        for (const row of some) for (const each of running) each.found ??= judging(() => step(each.run, row), row)
        return progress(some.length)
      })
    const destinations = Stream.mapEffect(ledger.records(Destination), (one) =>
      Effect.map(destinationDigest(one), (digest) => ({ ...one, digest }))
    )
    yield* over(destinations, (run, row) => run.destination?.(row, row.digest))
    yield* over(ledger.operations, (run, row) => run.operation?.(row))
    yield* over(ledger.records(OutboundTransaction), (run, row) => run.transaction?.(row))
    yield* over(ledger.records(Payout), (run, row) => run.payout?.(row))
    yield* over(ledger.records(PayoutWallet), (run, row) => run.wallet?.(row))
    yield* over(ledger.records(SweepableDeposit), (run, row) => run.sweepable?.(row))
    yield* over(ledger.records(UnsweptImports), (run, row) => run.unsweptImports?.(row))
    yield* over(ledger.records(AssetReservation), (run, row) => run.reservation?.(row))
    yield* over(ledger.legs, (run, row) => run.leg?.(row))
    yield* over(ledger.events, (run, row) => run.event?.(row))
    yield* over(ledger.records(Usage), (run, row) => run.usage?.(row))
    for (const each of running) each.found ??= judging(() => each.run.finish?.(), undefined)
    const bySubject = yield* checkSubjects(ledger, given, { place, progress, readRows })
    const wrongTotal = yield* ledger.wrongTotal
    const [unreadable] = yield* ledger.unreadable
    return [
      {
        invariant: readableRows.name,
        rule: readableRows.rule,
        firstWrong:
          unreadable === undefined
            ? (bySubject.strange ?? null)
            : `${unreadable.row} cannot be read: ${unreadable.problem}`
      },
      { invariant: keptTotals.name, rule: keptTotals.rule, firstWrong: wrongTotal ?? null },
      ...running.map(({ found, invariant }, at) => ({
        invariant: invariant.name,
        rule: invariant.rule,
        firstWrong: found ?? bySubject.found[at] ?? null
      }))
    ]
  })
