/** Local networks for development and tests. */
export * as Anvil from "./evm/Anvil.ts"
export * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
export * as TestDatabase from "./postgres/TestDatabase.ts"
export * from "./DevnetError.ts"
