import { faultSchema } from "@bursar/simulator-kit/Fault"
import { Schema } from "effect"

/**
 * A fault to come. A batch suffers those of the connection once; `empty` is null, `[]` or `"0x"` as suits the method, and
 * `refuse` is the JSON-RPC error -32000 unless told.
 */
export const Fault = faultSchema(Schema.Int)

/** {@link Fault} as a type. */
export type Fault = typeof Fault.Type
