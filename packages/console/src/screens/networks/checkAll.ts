import type { CheckReport } from "@bursar/api/operator/CheckReport"
import type { OperatorTenantList } from "@bursar/api/operator/OperatorTenant"
import { Effect } from "effect"

/** How far a check is, and what it has found. */
export interface Progress {
  readonly done: number
  readonly of: number
  readonly wrong: ReadonlyArray<string>
  readonly rules: number
}

interface Service<E, F> {
  readonly tenants: Effect.Effect<
    Pick<OperatorTenantList, "unreadable"> & { readonly tenants: ReadonlyArray<{ readonly id: string }> },
    E
  >
  readonly check: (tenantId: string) => Effect.Effect<Pick<CheckReport, "invariants">, F>
}

const wrongIn = ({ invariants }: Pick<CheckReport, "invariants">) =>
  invariants.flatMap(({ first_wrong: wrong, rule }) => (wrong === null ? [] : [`${rule}: ${wrong}`]))

/** Checks the books of one tenant after the other, since each reads all of a ledger, and tells how far it is. A tenant whose row cannot be read is wrong, too. */
export const checkAll = <E, F>(
  { check, tenants }: Service<E, F>,
  tell: (progress: Progress) => void
): Effect.Effect<void, E | F> =>
  Effect.gen(function* () {
    const { tenants: all, unreadable } = yield* tenants
    let progress: Progress = {
      done: 0,
      of: all.length,
      rules: 0,
      wrong: unreadable.map(({ id, problem }) => `The row of tenant ${id} cannot be read: ${problem}.`)
    }
    tell(progress)
    for (const { id } of all) {
      const report = yield* check(id)
      progress = {
        done: progress.done + 1,
        of: progress.of,
        rules: progress.rules + report.invariants.length,
        wrong: [...new Set([...progress.wrong, ...wrongIn(report)])]
      }
      tell(progress)
    }
  })
