import { Effect, Stream } from "effect"
import type { TenantBooks } from "../port/Books.ts"
import type { StorageError } from "../port/StorageError.ts"
import { customerAccounts, usedQuotes } from "./accountPasses.ts"
import { amounts, holds, legChains, postingsBalance } from "./ledgerPasses.ts"
import { payoutsInSpends, spendTokens, usageCounters, walletCounters } from "./outboundPasses.ts"
import type { Finding, Pass, PassRun } from "./Pass.ts"
import { sweepLegs, sweptDeposits } from "./sweepPasses.ts"
import {
  claimedOperations,
  creditedDeposits,
  depositFeed,
  eventFeed,
  operationsOfLegs,
  outcomes
} from "./recordPasses.ts"

/** All passes of the checker. */
export const passes: ReadonlyArray<Pass> = [
  postingsBalance,
  legChains,
  holds,
  amounts,
  operationsOfLegs,
  eventFeed,
  depositFeed,
  outcomes,
  creditedDeposits,
  claimedOperations,
  usedQuotes,
  customerAccounts,
  payoutsInSpends,
  spendTokens,
  walletCounters,
  usageCounters,
  sweptDeposits,
  sweepLegs
]

/** What a pass found in a tenant's records: null where they keep the rule, else the first row that breaks it. */
export interface PassResult {
  readonly pass: string
  readonly rule: string
  readonly firstWrong: string | null
}

interface Running {
  readonly pass: Pass
  readonly run: PassRun
  found: Finding
}

/** Re-derives everything of a tenant from its entries, in one pass over its rows, and names the first wrong row per rule. */
export const checkTenant = (books: TenantBooks): Effect.Effect<ReadonlyArray<PassResult>, StorageError> =>
  Effect.gen(function* () {
    const running = passes.map((pass): Running => ({ pass, run: pass.run(books), found: undefined }))
    const over = <A>(rows: Stream.Stream<A, StorageError>, step: (run: PassRun, row: A) => Finding) =>
      Stream.runForEach(rows, (row) =>
        Effect.sync(() => {
          for (const each of running) each.found ??= step(each.run, row)
        })
      )
    yield* over(books.operations, (run, row) => run.operation?.(row))
    yield* over(books.records("Quote"), (run, row) => run.quote?.(row))
    yield* over(books.records("FiatAccount"), (run, row) => run.account?.(row))
    yield* over(books.records("BookedIncoming"), (run, row) => run.incoming?.(row))
    yield* over(books.records("Spend"), (run, row) => run.spend?.(row))
    yield* over(books.records("Payout"), (run, row) => run.payout?.(row))
    yield* over(books.records("SentTransaction"), (run, row) => run.transaction?.(row))
    yield* over(books.records("WalletCoin"), (run, row) => run.coin?.(row))
    yield* over(books.records("PayoutWallet"), (run, row) => run.wallet?.(row))
    yield* over(books.records("Intake"), (run, row) => run.intake?.(row))
    yield* over(books.records("Sweep"), (run, row) => run.sweep?.(row))
    yield* over(books.legs, (run, row) => run.leg?.(row))
    yield* over(books.events, (run, row) => run.event?.(row))
    yield* over(books.deposits, (run, row) => run.deposit?.(row))
    yield* over(books.claims, (run, row) => run.claim?.(row))
    yield* over(books.records("Usage"), (run, row) => run.usage?.(row))
    return running.map(({ found, pass, run }) => ({
      pass: pass.name,
      rule: pass.rule,
      firstWrong: found ?? run.finish?.() ?? null
    }))
  })
