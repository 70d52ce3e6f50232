import { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { Effect, Schema } from "effect"

/** The public document of a snapshot as it was stored; fails where that is none. */
export const parseDocument: (document: string) => Effect.Effect<SolvencySnapshot, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Schema.fromJsonString(SolvencySnapshot))

/** The public document of a snapshot as it was stored. One that cannot be read was written by nobody here. */
export const readDocument = (document: string): Effect.Effect<SolvencySnapshot> => Effect.orDie(parseDocument(document))
