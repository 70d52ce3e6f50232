import type { Environment } from "@bursar/core/base/Environment"
import { migrate } from "@bursar/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Compared, currencyOf, oldest } from "./reconciliation/compareBooks.ts"

/** The heap that the process may have, in MiB: one that gathers what it reads fails. */
const heapMiB = 128

/** Tenants that share the legs. */
const tenants = 10

/** Tenants of an environment with so many legs at a custodian, of which the very first is of an amount of its own, as rows. */
const fill = Effect.fnUntraced(function* (environment: Environment, legs: number) {
  const sql = yield* PgClient.PgClient
  const currency = currencyOf(environment)
  const each = Math.ceil(legs / tenants)
  yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
    select gen_random_uuid(), ${environment} || n, 'bench', ${environment}, 'ACTIVE', '{}', now()
    from generate_series(1, ${tenants}::int) n`
  yield* sql`insert into ledger_leg (tenant_id, account, currency, version, operation_id, posting_seq, ordinal, direction, units, what,
      balance, posted_at)
    select tenant_id, 'custodian', ${currency}, n, gen_random_uuid(), n, 0, 'DEBIT',
      case when n = 1 and slug = ${environment} || '1' then ${oldest.toString()}::numeric else 1 + n % 1000 end, 'adjustment', n,
      now() - (${each}::int - n) * interval '1 second'
    from tenant, generate_series(1, ${each}::int) n where kind = ${environment} and name = 'bench'`
  yield* sql`insert into balance (tenant_id, account, currency, units, version)
    select tenant_id, account, currency, sum(units), max(version) from ledger_leg where currency = ${currency}
    group by tenant_id, account, currency`
  for (const table of ["tenant", "ledger_leg", "balance"]) yield* sql`vacuum analyze ${sql(table)}`
})

const inChild = (url: string, environment: Environment, legs: number) =>
  Effect.callback<Compared>((resume) => {
    const file = fileURLToPath(new URL("./reconciliation/compareBooks.ts", import.meta.url))
    const heap = `--max-old-space-size=${heapMiB}`
    execFile(process.execPath, [...process.execArgv, heap, file, url, environment, String(legs)], (error, stdout) => {
      // it prints that and nothing else
      resume(error === null ? Effect.succeed(JSON.parse(stdout) as Compared) : Effect.die(error))
    })
  })

/** Compares books of so many legs with a custodian, and books of a tenth of them, each in a process of its own with a small heap. */
export const reconciliation = Effect.fnUntraced(function* (url: string, legs: number) {
  const connection = { url: Redacted.make(url) }
  yield* migrate(connection)
  // each environment is compared by itself
  yield* Effect.andThen(fill("SANDBOX", Math.ceil(legs / 10)), fill("LIVE", legs)).pipe(
    Effect.provide(PgClient.layer({ ...connection, startupParameters: { statement_timeout: "0" } }))
  )
  return { few: yield* inChild(url, "SANDBOX", Math.ceil(legs / 10)), many: yield* inChild(url, "LIVE", legs) }
})
