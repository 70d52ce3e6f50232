import { Cause, Effect, Predicate } from "effect"
import { readDestinationLog } from "./destinationLog.ts"
import { verifyChain } from "./verifyChain.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { LedgerSnapshot } from "./LedgerSnapshot.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import type { UnreadableTenant } from "../port/TenantList.ts"
import type { CheckPlace } from "./checkSubjects.ts"
import { checkTenant, type InvariantResult, readableRows } from "./checkTenant.ts"

/** What a pass found in the records of a tenant, or of all tenants together where it names none. */
export interface CheckResult extends InvariantResult {
  readonly tenant: Tenant | null
}

/** The rule on what all tenants share. */
export const auditChain = {
  name: "audit-chain",
  rule: "the log of operators' actions is one chain of hashes from its first record on"
} as const

/**
 * Checks the books of some tenants, one after the other, and the log of operators' actions. A tenant whose books, or whose own row, cannot even be
 * opened is named, and the others are checked. It fails only where the store cannot be read.
 */
export const checkAll = Effect.fn("checker.checkAll")(function* (
  tenants: ReadonlyArray<Tenant>,
  {
    place,
    progress,
    unreadable = [],
    ...settings
  }: {
    readonly currencies?: CurrencyTable
    /** Is told now and then how many more rows of a tenant were read since it was told last. */
    readonly progress?: (tenant: Tenant, rows: number) => Effect.Effect<void>
    /** Where the check of a tenant's books goes on, and keeps how far it has come. */
    readonly place?: (tenant: Tenant) => CheckPlace
    /** Tenants whose rows cannot be read. */
    readonly unreadable?: ReadonlyArray<UnreadableTenant>
    /** How many rows of each kind are read at a time. */
    readonly readRows?: number
  } = {}
) {
  const ledger = yield* LedgerSnapshot
  const { firstWrong } = yield* verifyChain(undefined)
  const destinationLog = yield* readDestinationLog()
  const results: Array<CheckResult> = [{ tenant: null, invariant: auditChain.name, rule: auditChain.rule, firstWrong }]
  for (const { id, problem } of unreadable)
    results.push({
      tenant: null,
      invariant: readableRows.name,
      rule: readableRows.rule,
      firstWrong: `the row of tenant ${id} cannot be read: ${problem}`
    })
  for (const tenant of tenants) {
    const found = yield* ledger
      .snapshot(tenant.id, (snapshot) =>
        checkTenant(snapshot, {
          ...settings,
          destinationLog,
          place: place?.(tenant),
          ...(progress === undefined ? {} : { progress: (rows) => progress(tenant, rows) })
        })
      )
      .pipe(
        Effect.catchCause((cause) => {
          const error = Cause.squash(cause)
          if (Cause.hasInterrupts(cause) || Predicate.isTagged(error, "StorageError")) return Effect.failCause(cause)
          const unopened = `the books of ${tenant.slug} cannot be opened: ${error instanceof Error ? error.message : String(error)}`
          return Effect.succeed([{ invariant: readableRows.name, rule: readableRows.rule, firstWrong: unopened }])
        })
      )
    for (const one of found) results.push({ tenant, ...one })
  }
  return results
})
