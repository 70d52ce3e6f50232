import { faultSchema } from "@bursar/simulator-kit/Fault"
import { Schema } from "effect"

/**
 * A fault to come. A request's name is a method of Stellar RPC (`sendTransaction`), or a method and path of Horizon with
 * `{id}` in place of what is named (`GET /ledgers/{id}`, `POST /transactions`). `empty` is an empty page, 404 for a single
 * thing, `{}` or null for what is always there; `refuse` is HTTP `error_code` (503) from Horizon and that JSON-RPC error
 * (-32603) from Stellar RPC.
 */
export const StellarFault = faultSchema(Schema.Int)

/** {@link StellarFault} as a type. */
export type StellarFault = typeof StellarFault.Type

/** The requests that hand in transactions. */
export const submissions: ReadonlySet<string> = new Set([
  "POST /transactions",
  "POST /transactions_async",
  "sendTransaction"
])
