import type { PgConnection } from "@effect/sql-pg"
import { Storage } from "@bursar/core/engine/Storage"
import { Connection, layerConnection } from "@bursar/postgres"
import { layer as layerStorage } from "@bursar/postgres/storage/layer"
import { Context, Effect, Layer, type Redacted, type Scope } from "effect"
import type { StorageError } from "@bursar/core/engine/StorageError"

type Query = PgConnection.PgConnection["query"]

/** A storage whose commits send their statements through `wrap`, which is given what would have sent them. */
export const wrappedStorage = (
  url: Redacted.Redacted,
  wrap: (query: Query) => Query
): Effect.Effect<Storage["Service"], StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Layer.fresh(layerConnection({ url, maxConnections: 4, applicationName: "bursar-wrapped" }))
    )
    const connection = Context.get(context, Connection)
    const { commits } = connection
    const wrapped = Connection.of({
      ...connection,
      commits: {
        ...commits,
        get: Effect.map(commits.get, (session) => {
          // everything else of a session is used as it is
          const view: PgConnection.PgConnection = Object.create(session, { query: { value: wrap(session.query) } })
          return view
        })
      }
    })
    return Context.get(
      yield* Layer.build(Layer.provide(Layer.fresh(layerStorage), Layer.succeed(Connection, wrapped))),
      Storage
    )
  })
