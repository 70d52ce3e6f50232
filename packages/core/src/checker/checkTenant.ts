import { Effect, Stream } from "effect"
import type { DestinationLog } from "./destinationLog.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { defaultCurrencies } from "../money/defaultCurrencies.ts"
import type { TenantLedger } from "../store/LedgerSnapshot.ts"
import type { StorageError } from "../engine/StorageError.ts"
import { destinationDigest } from "../destination/destinationDigest.ts"
import type { Violation, Invariant, InvariantRun } from "./Invariant.ts"
import { invariants } from "./invariants.ts"
import { Destination } from "../destination/Destination.ts"
import { Customer } from "../customer/Customer.ts"
import { FiatAccount, BookedIncoming } from "../account/FiatAccount.ts"
import { Quote } from "../pricing/Quote.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { Payout } from "../payout/Payout.ts"
import { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { WalletUtxo } from "../transaction/WalletUtxo.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import { Sweep } from "../sweep/Sweep.ts"
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
}

/** The rule that every row can be read. What cannot be read is left out of all other rules, which may miss it. */
export const readableRows = {
  name: "rows",
  rule: "every row can be read as what it has to be"
} as const

/** The rule on what is kept in sum beside the operations. */
export const keptTotals = {
  name: "totals",
  rule: "the totals that summaries are read from are what the operations come to"
} as const

interface Running {
  readonly invariant: Invariant
  readonly run: InvariantRun
  found: Violation
}

/** What a step finds; a row that a rule cannot make sense of, such as a text where a number has to be, is a finding too. */
const judging = (step: () => Violation, row: unknown): Violation => {
  try {
    return step()
  } catch (error) {
    return `${nameOf(row)} makes no sense: ${error instanceof Error ? error.message : String(error)}`
  }
}

const namingFields = ["id", "operationId", "hash", "key", "scope", "resourceId", "account"] as const

/** A row in words, by the first of its fields that names it. */
const nameOf = (row: unknown): string => {
  if (typeof row !== "object" || row === null) return "what was read"
  const fields = row as { readonly [field: string]: unknown } // an object that is not null
  const field = namingFields.find((one) => typeof fields[one] === "string" || typeof fields[one] === "number")
  return field === undefined ? "a row" : `the row of ${String(fields[field])}`
}

/**
 * Re-derives everything of a tenant from its entries, in one pass over its rows, and names the first wrong row per rule. A row that
 * cannot be read, or that a rule cannot make sense of, is named and stops no other rule.
 */
export const checkTenant = (
  ledger: TenantLedger,
  { currencies = defaultCurrencies, destinationLog, progress = () => Effect.void }: CheckSettings = {}
): Effect.Effect<ReadonlyArray<InvariantResult>, StorageError> =>
  Effect.gen(function* () {
    const { balances, head } = ledger
    const given = { balances, head, currencies, destinationLog }
    const running = invariants.map((invariant): Running => ({ invariant, run: invariant.run(given), found: undefined }))
    const over = <A>(rows: Stream.Stream<A, StorageError>, step: (run: InvariantRun, row: A) => Violation) =>
      Stream.runForEachArray(rows, (some) => {
        for (const row of some) for (const each of running) each.found ??= judging(() => step(each.run, row), row)
        return progress(some.length)
      })
    const destinations = Stream.mapEffect(ledger.records(Destination), (one) =>
      Effect.map(destinationDigest(one), (digest) => ({ ...one, digest }))
    )
    yield* over(destinations, (run, row) => run.destination?.(row, row.digest))
    yield* over(ledger.records(Customer), (run, row) => run.customer?.(row))
    yield* over(ledger.records(FiatAccount), (run, row) => run.account?.(row))
    yield* over(ledger.operations, (run, row) => run.operation?.(row))
    yield* over(ledger.records(Quote), (run, row) => run.quote?.(row))
    yield* over(ledger.records(BookedIncoming), (run, row) => run.incoming?.(row))
    yield* over(ledger.records(OutboundTransaction), (run, row) => run.transaction?.(row))
    yield* over(ledger.records(Payout), (run, row) => run.payout?.(row))
    yield* over(ledger.records(TransactionAttempt), (run, row) => run.attempt?.(row))
    yield* over(ledger.records(WalletUtxo), (run, row) => run.utxo?.(row))
    yield* over(ledger.records(PayoutWallet), (run, row) => run.wallet?.(row))
    yield* over(ledger.records(SweepableDeposit), (run, row) => run.sweepable?.(row))
    yield* over(ledger.records(Sweep), (run, row) => run.sweep?.(row))
    yield* over(ledger.records(AssetReservation), (run, row) => run.reservation?.(row))
    yield* over(ledger.jobs, (run, row) => run.jobs?.(row))
    yield* over(ledger.legs, (run, row) => run.leg?.(row))
    yield* over(ledger.events, (run, row) => run.event?.(row))
    yield* over(ledger.deposits, (run, row) => run.deposit?.(row))
    yield* over(ledger.idempotencyRecords, (run, row) => run.idempotencyRecord?.(row))
    yield* over(ledger.records(Usage), (run, row) => run.usage?.(row))
    const wrongTotal = yield* ledger.wrongTotal
    const [unreadable] = yield* ledger.unreadable
    return [
      {
        invariant: readableRows.name,
        rule: readableRows.rule,
        firstWrong: unreadable === undefined ? null : `${unreadable.row} cannot be read: ${unreadable.problem}`
      },
      { invariant: keptTotals.name, rule: keptTotals.rule, firstWrong: wrongTotal ?? null },
      ...running.map(({ found, invariant, run }) => ({
        invariant: invariant.name,
        rule: invariant.rule,
        firstWrong: found ?? judging(() => run.finish?.(), undefined) ?? null
      }))
    ]
  })
