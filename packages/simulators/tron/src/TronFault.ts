import { faultSchema } from "@bursar/simulator-kit/Fault"
import { Schema } from "effect"

/**
 * A fault to come. A request's name is its endpoint, such as `broadcasttransaction`. `empty` is `{}`, or `[]` where a list is
 * asked for; `refuse` answers a broadcast with `error_code` (SERVER_BUSY) and anything else with an `Error`.
 */
export const TronFault = faultSchema(Schema.NonEmptyString)

/** {@link TronFault} as a type. */
export type TronFault = typeof TronFault.Type

/** The endpoints that take transactions. */
export const broadcasts: ReadonlySet<string> = new Set(["broadcasttransaction", "broadcasthex"])
