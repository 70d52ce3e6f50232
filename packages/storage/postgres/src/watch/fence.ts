import type { PgClient } from "@effect/sql-pg"
import type { Fence } from "@bursar/core/engine/fenced"
import { Fenced } from "@bursar/core/port/Leadership"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Runs statements in a transaction that holds the lease at this fence's epoch: nobody can take the leadership over
 * before it has committed, and where somebody has, it fails with Fenced and writes nothing.
 */
export const underFence = <A, E>(
  sql: PgClient.PgClient,
  { epoch, name }: Fence,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError | Fenced> =>
  sql.withTransaction(
    Effect.andThen(
      Effect.flatMap(sql`select 1 from lease where name = ${name} and epoch = ${epoch} for share`, (held) =>
        held.length === 1 ? Effect.void : Effect.fail(new Fenced({ name }))
      ),
      effect
    )
  )
