import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { createDatabase, dropDatabase, urlOf, withConnection } from "./admin.ts"

/** How the databases of a suite begin. */
export interface Template<E, R> {
  /** Names the prepared state. Suites that give the same name in one run share one preparation. */
  readonly name: string
  /**
   * Brings an empty database to that state, for instance by running the migrations. It must leave no connection open.
   */
  readonly prepare: (url: string) => Effect.Effect<void, E, R>
}

/** A database of its own for one suite. */
export class TestDatabase extends Context.Service<
  TestDatabase,
  {
    readonly url: string
    readonly name: string
  }
>()("@bursar/simulator-postgres/TestDatabase") {}

const randomName = Effect.sync(() => `test_${randomBytes(8).toString("hex")}`)

const scopedDatabase = (server: string, template?: string) =>
  Effect.acquireRelease(
    Effect.flatMap(randomName, (name) => Effect.map(createDatabase(server, name, template), (url) => ({ url, name }))),
    // A server that is already gone has taken its databases along.
    ({ name }) => Effect.ignore(dropDatabase(server, name))
  )

/** An empty database on `server` (a `postgres://` url), dropped with the scope. */
export const makeEmpty = Effect.fn("TestDatabase.makeEmpty")(function* (
  server: string
): Effect.fn.Return<TestDatabase["Service"], DevnetError, Scope.Scope> {
  return yield* scopedDatabase(server)
})

/**
 * A database on `server` prepared by `template`, dropped with the scope.
 *
 * **Details**
 *
 * The first suite of a run prepares a template database under a lock, the others copy it, which takes tens of
 * milliseconds whatever the number of migrations. The template stays until the server is removed; on a server that
 * outlives the run, give the template a new name when its preparation changes.
 */
export const make = Effect.fn("TestDatabase.make")(function* <E, R>(
  server: string,
  template: Template<E, R>
): Effect.fn.Return<TestDatabase["Service"], DevnetError | E, R | Scope.Scope> {
  const name = `template_${template.name}`
  const context = yield* Effect.context<R>()
  const prepared = withConnection(server, (sql) =>
    Effect.gen(function* () {
      // A session lock, released with the connection: CREATE DATABASE cannot run in a transaction.
      yield* sql`select pg_advisory_lock(hashtextextended(${name}, 0))`
      const found = yield* sql`select 1 from pg_database where datname = ${name}`
      if (found.length > 0) return yield* Effect.exit(Effect.void)
      const unfinished = `${name}_unfinished`
      yield* sql`drop database if exists ${sql(unfinished)} with (force)`
      yield* sql`create database ${sql(unfinished)}`
      const exit = yield* Effect.exit(Effect.provide(template.prepare(urlOf(server, unfinished)), context))
      if (exit._tag === "Success") yield* sql`alter database ${sql(unfinished)} rename to ${sql(name)}`
      return exit
    })
  )
  yield* yield* prepared
  return yield* scopedDatabase(server, name)
})

/**
 * {@link make} as a layer, one database for as long as the layer lives.
 *
 * @public
 */
export const layer = <E, R>(server: string, template: Template<E, R>) =>
  Layer.effect(TestDatabase, make(server, template))

/**
 * {@link makeEmpty} as a layer.
 *
 * @public
 */
export const layerEmpty = (server: string) => Layer.effect(TestDatabase, makeEmpty(server))
