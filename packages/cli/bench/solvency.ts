import type { Environment } from "@bursar/core/base/Environment"
import { migrate } from "@bursar/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { GrewTrees } from "./solvency/growTrees.ts"

/** The heap that the process may have, in MiB: one that gathers what it reads fails. */
const heapMiB = 128

/** Tenants that are owed something in one currency, as rows. */
const fill = Effect.fnUntraced(function* (environment: Environment, count: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`insert into tenant (tenant_id, slug, name, kind, status, policy, created_at)
    select gen_random_uuid(), ${environment} || n, 'bench', ${environment}, 'ACTIVE', '{}', now()
    from generate_series(1, ${count}::int) n`
  yield* sql`insert into tenant_head (tenant_id, change_seq, event_id, posting_seq, last_at)
    select tenant_id, 1, 1, 1, now() from tenant where kind = ${environment} and name = 'bench'`
  yield* sql`insert into balance (tenant_id, account, currency, units, version)
    select tenant_id, 'float:available', 'USDT_TRON', (1 + random() * 1e12)::bigint, 1
    from tenant where kind = ${environment} and name = 'bench'`
  for (const table of ["tenant", "tenant_head", "balance"]) yield* sql`vacuum analyze ${sql(table)}`
})

const inChild = (url: string, environment: Environment) =>
  Effect.callback<GrewTrees>((resume) => {
    const file = fileURLToPath(new URL("./solvency/growTrees.ts", import.meta.url))
    const heap = `--max-old-space-size=${heapMiB}`
    execFile(process.execPath, [...process.execArgv, heap, file, url, environment], (error, stdout) => {
      // it prints that and nothing else
      resume(error === null ? Effect.succeed(JSON.parse(stdout) as GrewTrees) : Effect.die(error))
    })
  })

/** Grows a tree of so many leaves, and one of a tenth of them, from a database into it, each in a process of its own with a small heap. */
export const solvency = Effect.fnUntraced(function* (url: string, leaves: number) {
  const connection = { url: Redacted.make(url) }
  yield* migrate(connection)
  // each environment has a tree of its own
  yield* Effect.andThen(fill("SANDBOX", Math.ceil(leaves / 10)), fill("LIVE", leaves)).pipe(
    Effect.provide(PgClient.layer({ ...connection, startupParameters: { statement_timeout: "0" } }))
  )
  const few = yield* inChild(url, "SANDBOX")
  const many = yield* inChild(url, "LIVE")
  const wrong = [...few.findings, ...many.findings]
  return wrong.length === 0 ? { few, many } : yield* Effect.die(new Error(wrong.join("\n")))
})
