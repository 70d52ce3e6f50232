/** A local PostgreSQL for development and tests. */
export * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
export * as TestDatabase from "./TestDatabase.ts"
