import { layer as writerLayer } from "@bursar/core/engine/Writer"
import { layer as postgresLayer } from "@bursar/postgres"
import type { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { type Effect, Layer, type Redacted, type Scope } from "effect"
import type { Line } from "../line.ts"

/** A PostgreSQL that nothing else uses. */
export type Databases = EmbeddedPostgres.EmbeddedPostgres

/** What is measured on a PostgreSQL of its own, as the lines that tell it. */
export type Lines = (server: Databases) => Effect.Effect<ReadonlyArray<Line>, unknown, Scope.Scope>

/** The writer on a database, as a process has it. */
export const writerOn = (url: Redacted.Redacted) =>
  writerLayer.pipe(Layer.provideMerge(postgresLayer({ url, maxConnections: 16, applicationName: "bench" })))
