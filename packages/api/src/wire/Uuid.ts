import { Schema } from "effect"

/** The identifier of a record. */
export const Uuid = Schema.String.check(Schema.isUUID())
/** The identifier of a record. */
export type Uuid = typeof Uuid.Type
