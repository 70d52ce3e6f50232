import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"

/** The same server's url for another database. */
export const urlOf = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(database)}`
  return changed.toString()
}

const failed = (cause: { readonly message: string }) =>
  new DevnetError({
    code: "database_failed",
    message: `the database server refused: ${cause.message}`,
    hint: "Check that the server is up, that the url's user may create databases, and that the name is free.",
    cause
  })

/** Runs statements on one connection of its own, outside any transaction, as CREATE DATABASE wants. */
export const withConnection = <A, E>(
  url: string,
  use: (sql: PgClient.PgClient) => Effect.Effect<A, E, Scope.Scope>
): Effect.Effect<A, DevnetError> =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1, applicationName: "bursar-devnet" }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => failed(error instanceof Error ? error : new Error(String(error))))
  )

/** Creates a database, as a copy of `template` if one is given, and returns its url. */
export const createDatabase = Effect.fn("admin.createDatabase")(function* (
  url: string,
  name: string,
  template?: string
): Effect.fn.Return<string, DevnetError> {
  yield* withConnection(url, (sql) =>
    template === undefined
      ? sql`create database ${sql(name)}`
      : // the files are copied as they are: through the log of what is written it takes half as long again
        sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
  )
  return urlOf(url, name)
})

/** Creates the database unless it exists, and returns its url. */
export const ensureDatabase = Effect.fn("admin.ensureDatabase")(function* (
  url: string,
  name: string
): Effect.fn.Return<string, DevnetError> {
  yield* withConnection(url, (sql) =>
    Effect.gen(function* () {
      const found = yield* sql`select 1 from pg_database where datname = ${name}`
      if (found.length === 0) yield* sql`create database ${sql(name)}`
    })
  )
  return urlOf(url, name)
})

/** Drops the database if it exists, throwing out whoever is connected. */
export const dropDatabase = Effect.fn("admin.dropDatabase")(function* (
  url: string,
  name: string
): Effect.fn.Return<void, DevnetError> {
  yield* withConnection(url, (sql) => sql`drop database if exists ${sql(name)} with (force)`)
})
