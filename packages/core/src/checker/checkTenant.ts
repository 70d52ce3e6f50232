import { Effect, Stream } from "effect"
import type { DestinationLog } from "../audit/destinationLog.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { defaultCurrencies } from "../money/defaultCurrencies.ts"
import type { TenantBooks } from "../port/Books.ts"
import type { StorageError } from "../port/StorageError.ts"
import { destinationDigest } from "../withdrawal/destinationDigest.ts"
import type { Finding, Pass, PassRun } from "./Pass.ts"
import { passes } from "./passes.ts"

/** What a pass found in a tenant's records: null where they keep the rule, else the first row that breaks it. */
export interface PassResult {
  readonly pass: string
  readonly rule: string
  readonly firstWrong: string | null
}

/** What the books are held against beside themselves. */
export interface CheckSettings {
  /** The currencies of the service, which events tell amounts in. Default: those of the contract. */
  readonly currencies?: CurrencyTable
  /** What the log of operators' actions says of destinations (`readDestinationLog`). It is not asked where absent. */
  readonly destinationLog?: DestinationLog
}

/** The rule that every row can be read. What cannot be read is left out of all other rules, which may miss it. */
export const readableRows = {
  name: "rows",
  rule: "every row can be read as what it has to be"
} as const

interface Running {
  readonly pass: Pass
  readonly run: PassRun
  found: Finding
}

/** What a step finds; a row that a rule cannot make sense of, such as a text where a number has to be, is a finding too. */
const judging = (step: () => Finding, row: unknown): Finding => {
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
  books: TenantBooks,
  { currencies = defaultCurrencies, destinationLog }: CheckSettings = {}
): Effect.Effect<ReadonlyArray<PassResult>, StorageError> =>
  Effect.gen(function* () {
    const { balances, head } = books
    const given = { balances, head, currencies, destinationLog }
    const running = passes.map((pass): Running => ({ pass, run: pass.run(given), found: undefined }))
    const over = <A>(rows: Stream.Stream<A, StorageError>, step: (run: PassRun, row: A) => Finding) =>
      Stream.runForEach(rows, (row) =>
        Effect.sync(() => {
          for (const each of running) each.found ??= judging(() => step(each.run, row), row)
        })
      )
    const destinations = Stream.mapEffect(books.records("Destination"), (one) =>
      Effect.map(destinationDigest(one), (digest) => ({ ...one, digest }))
    )
    yield* over(destinations, (run, row) => run.destination?.(row, row.digest))
    yield* over(books.records("Customer"), (run, row) => run.customer?.(row))
    yield* over(books.records("FiatAccount"), (run, row) => run.account?.(row))
    yield* over(books.operations, (run, row) => run.operation?.(row))
    yield* over(books.records("Quote"), (run, row) => run.quote?.(row))
    yield* over(books.records("BookedIncoming"), (run, row) => run.incoming?.(row))
    yield* over(books.records("Spend"), (run, row) => run.spend?.(row))
    yield* over(books.records("Payout"), (run, row) => run.payout?.(row))
    yield* over(books.records("SentTransaction"), (run, row) => run.transaction?.(row))
    yield* over(books.records("WalletCoin"), (run, row) => run.coin?.(row))
    yield* over(books.records("PayoutWallet"), (run, row) => run.wallet?.(row))
    yield* over(books.records("Intake"), (run, row) => run.intake?.(row))
    yield* over(books.records("Sweep"), (run, row) => run.sweep?.(row))
    yield* over(books.records("AssetReservation"), (run, row) => run.reservation?.(row))
    yield* over(books.agenda, (run, row) => run.agenda?.(row))
    yield* over(books.legs, (run, row) => run.leg?.(row))
    yield* over(books.events, (run, row) => run.event?.(row))
    yield* over(books.deposits, (run, row) => run.deposit?.(row))
    yield* over(books.claims, (run, row) => run.claim?.(row))
    yield* over(books.records("Usage"), (run, row) => run.usage?.(row))
    const [unreadable] = yield* books.unreadable
    return [
      {
        pass: readableRows.name,
        rule: readableRows.rule,
        firstWrong: unreadable === undefined ? null : `${unreadable.row} cannot be read: ${unreadable.problem}`
      },
      ...running.map(({ found, pass, run }) => ({
        pass: pass.name,
        rule: pass.rule,
        firstWrong: found ?? judging(() => run.finish?.(), undefined) ?? null
      }))
    ]
  })
