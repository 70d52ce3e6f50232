import { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { Effect, Schema } from "effect"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(SolvencySnapshot))

/** The public document of a snapshot as it was stored. One that cannot be read was written by nobody here. */
export const readDocument = (document: string): Effect.Effect<SolvencySnapshot> => Effect.orDie(decode(document))
