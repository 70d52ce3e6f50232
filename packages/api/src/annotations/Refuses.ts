import { Context } from "effect"
import type { ErrorCode } from "../errors/Catalogue.ts"

/** The codes that an endpoint may answer beyond those that every endpoint of its kind may answer. */
export const Refuses = Context.Reference<ReadonlyArray<ErrorCode>>("@bursar/api/Refuses", { defaultValue: () => [] })
