import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"

/** What the planner tells of a node of a plan that was carried out. */
interface PlanNode {
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
}

interface Explained {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }>
}

/**
 * How many pages of the database the statements of a read touch. Each is carried out twice, the first time to be explained. Unlike time,
 * this is the same whatever else the machine does.
 */
export const pagesOf = <A, E, R>(sql: SqlClient, read: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* sql.reserve
      let pages = 0
      const execute: Connection["execute"] = (text, parameters, transform) =>
        Effect.gen(function* () {
          const explain = `explain (analyze, buffers, timing off, format json) ${text}`
          // the form of the answer is that of the statement
          const explained = (yield* session.execute(explain, parameters, undefined)) as ReadonlyArray<Explained>
          for (const { "QUERY PLAN": plans } of explained)
            for (const { Plan } of plans) pages += Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]
          return yield* session.execute(text, parameters, transform)
        })
      const watching: Connection = Object.create(session, { execute: { value: execute } })
      const answer = yield* Effect.provideService(read, sql.transactionService, [watching, 0])
      return { answer, pages }
    })
  )
