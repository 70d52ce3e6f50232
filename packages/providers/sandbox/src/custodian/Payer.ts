import type { Network } from "@bursar/core/money/Network"
import { type Effect, Schema } from "effect"

/** A payment was not made, or (`sent` "unknown") nobody knows whether it was. */
export class PaymentError extends Schema.TaggedError<PaymentError>()("PaymentError", {
  sent: Schema.Literals(["no", "unknown"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** A payment on a network: `contract` null is its own coin; `units` are base units. */
export interface Payment {
  readonly network: Network
  readonly contract: string | null
  readonly units: bigint
  readonly to: string
  readonly memo: string | null
}

/** How the sandbox's custodian pays: in real transactions of whatever networks it is given. */
export interface Payer {
  readonly pay: (payment: Payment) => Effect.Effect<{ readonly txHash: string }, PaymentError>
  /** Whether a transaction is in a block. False where that cannot be read. */
  readonly confirmed: (network: Network, txHash: string) => Effect.Effect<boolean>
}
