import { Schema } from "effect"

/** The identifier of a record. */
export const Uuid = Schema.String.check(Schema.isUUID(undefined, { toJsonSchema: () => ({ format: "uuid" }) }))
/** The identifier of a record. */
export type Uuid = typeof Uuid.Type
