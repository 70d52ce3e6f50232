import { migrate } from "@bursar/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { CurrentTransformer } from "effect/sql/Statement"
import { statementEnd } from "../test/support/savedService.ts"

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * The statements by which this version makes its schema in an empty database. PostgreSQL's own pg_dump is not asked: it would
 * have to be as new as the server.
 */
const schemaOf = Effect.fnUntraced(function* (emptyUrl: string) {
  const statements: Array<string> = []
  yield* migrate({ url: Redacted.make(emptyUrl) }).pipe(
    Effect.provideService(CurrentTransformer, (statement) =>
      Effect.sync(() => {
        const [text, values] = statement.compile()
        // what has values is the migrator's own: its rows come with the data
        if (values.length === 0 && !/^\s*(?:select|begin|commit)\b/iu.test(text)) statements.push(text.trim())
        return statement
      })
    )
  )
  return statements
})

/** The rows of a table as a statement that inserts them. */
const rowsOf = (sql: PgClient.PgClient, table: string) =>
  Effect.gen(function* () {
    const columns = yield* sql<{ readonly name: string }>`select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`
    const names = columns.map(({ name }) => `"${name}"`).join(", ")
    const [{ json } = { json: null }] = yield* sql.unsafe<{ readonly json: string | null }>(
      `select json_agg(one)::text as json from "${table}" one`
    )
    if (json === null) return []
    return [
      `insert into "${table}" (${names}) overriding system value
select ${names} from json_populate_recordset(null::"${table}", ${literal(json)})`
    ]
  })

/**
 * A database as SQL that makes it anew in an empty one: the schema of this version, every row, and where sequences stand.
 * `emptyUrl` is a database in which the schema is tried.
 */
export const dumpDatabase = Effect.fnUntraced(
  function* (url: string, emptyUrl: string) {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 })
    const schema = yield* schemaOf(emptyUrl)
    const tables = yield* sql<{ readonly name: string }>`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`
    const rows = yield* Effect.forEach(tables, ({ name }) => rowsOf(sql, name))
    const sequences = yield* sql<{ readonly name: string; readonly value: string }>`select sequencename as name,
      last_value::text as value from pg_sequences where schemaname = 'public' and last_value is not null`
    const statements = [
      // what migrations themselves put into tables stands among the rows as well
      ...schema.filter((statement) => !/^(?:insert|update|delete)\b/iu.test(statement)),
      // rows refer to rows that come later
      "set session_replication_role = replica",
      ...rows.flat(),
      ...sequences.map(({ name, value }) => `select setval(${literal(`"${name}"`)}, ${value})`),
      "set session_replication_role = default"
    ]
    const torn = statements.find((statement) => statement.includes(statementEnd))
    if (torn !== undefined) return yield* Effect.die(new Error(`this cannot be told apart from what follows: ${torn}`))
    return statements.map((statement) => `${statement}${statementEnd}`).join("")
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
