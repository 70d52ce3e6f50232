import { Schema, SchemaTransformation } from "effect"

const uuid = Schema.isUUID(undefined, { toJsonSchema: () => ({ format: "uuid" }) })

/** The identifier of a record. It is read in capitals, too, and is in lower case wherever it is compared (RFC 9562, section 4). */
export const Uuid = Schema.String.check(uuid).pipe(Schema.decode(SchemaTransformation.toLowerCase()))
/** The identifier of a record. */
export type Uuid = typeof Uuid.Type
