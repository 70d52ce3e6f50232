import type { PgClient } from "@effect/sql-pg"
import { Data, Effect, Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { migrations } from "./migrations/all.ts"

/** The schema is of another version than this program; the message says what to do. */
export class SchemaDiffers extends Data.TaggedError("SchemaDiffers")<{ readonly message: string }> {}

/** The last step of this version. */
const own = Math.max(...migrations.map(({ id }) => id))

const laterVersion = (found: number): string =>
  `The database was updated to a later version: it has step ${found}, and this one knows steps up to ${own}. Use the version that updated it.`

/** Why a schema is not used by a process, from the newest step that was run on it; undefined where it is this version's. */
export const schemaRefusal = (found: number): string | undefined => {
  if (found === own) return undefined
  if (found > own) return laterVersion(found)
  return found === 0
    ? "The database is empty: run `bursar migrate` first."
    : `The database is of an earlier version: it has step ${found}, and this one needs step ${own}. Run \`bursar migrate\` first.`
}

/** The code with which the server has refused a statement; undefined where something else failed. */
const codeOf = ({ reason: { cause } }: SqlError): unknown =>
  Predicate.hasProperty(cause, "code") ? cause.code : undefined

const undefinedTable = "42P01"
const insufficientPrivilege = "42501"

/** The newest step that was run on a schema; null where none was. */
interface Newest {
  readonly step: number | null
}

/** Reads the newest step that was run on a schema, as `step`. */
export const newestStep = "select max(migration_id) as step from bursar_migration"

/** Fails with SchemaDiffers where the newest step that was run on a schema is not this version's. */
export const requireStep = (found: number | null): Effect.Effect<void, SchemaDiffers> => {
  const refusal = schemaRefusal(found ?? 0)
  return refusal === undefined ? Effect.void : Effect.fail(new SchemaDiffers({ message: refusal }))
}

/** Fails with SchemaDiffers where the schema is not this version's, or the role may not read which it is. */
export const requireSchemaOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const newest = sql.unsafe<Newest>(newestStep)
  const found = yield* Effect.catch(newest, (error): Effect.Effect<ReadonlyArray<Newest>, SchemaDiffers | SqlError> => {
    const code = codeOf(error)
    if (code === undefinedTable) return Effect.succeed([])
    const unreadable = new SchemaDiffers({
      message:
        "The role of this process may not read which version the database is of: run `bursar migrate --roles <prefix> --apply` first, or grant select on bursar_migration."
    })
    return Effect.fail(code === insufficientPrivilege ? unreadable : error)
  })
  yield* requireStep(found[0]?.step ?? null)
})

/** Whether a schema is this version's: without a lock that anybody waits for. Fails with SchemaDiffers where a later version has updated it. */
export const isOfThisVersion = Effect.fnUntraced(function* (
  sql: PgClient.PgClient
): Effect.fn.Return<boolean, SchemaDiffers | SqlError> {
  const [table] = yield* sql<{
    readonly is_there: boolean
  }>`select to_regclass('bursar_migration') is not null as is_there`
  if (table?.is_there !== true) return false
  const [newest] = yield* sql.unsafe<Newest>(newestStep)
  const found = newest?.step ?? 0
  if (found > own) return yield* new SchemaDiffers({ message: laterVersion(found) })
  return found === own
})
