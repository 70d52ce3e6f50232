import { inject } from "vitest"

/** Url of the PostgreSQL server that the run's global set-up started. Only inside a test file. */
export const postgresUrl = (): string => inject("postgresUrl")
