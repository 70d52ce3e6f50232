import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Operation } from "../operation/Operation.ts"
import type { SigningKey } from "../signature/SigningKey.ts"

/** An operation that its partner must have signed, with the keys that count. */
export interface SignedOrder {
  readonly operation: Operation
  readonly signingKeys: ReadonlyArray<SigningKey>
  readonly now: Timestamp
}

/** Verifies once more what partners have signed, right before somebody is asked to carry it out. */
export class SignedOrders extends Context.Service<
  SignedOrders,
  {
    /** Why an operation is not what its partner has signed; undefined where it is exactly that. */
    readonly objection: (order: SignedOrder) => Effect.Effect<string | undefined>
  }
>()("@bursar/core/port/SignedOrders") {}
