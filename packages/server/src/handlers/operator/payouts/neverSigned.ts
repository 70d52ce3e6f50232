import { apiError } from "@bursar/api/errors/ApiError"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Effect, Option } from "effect"
import type { WholePayout } from "./toWire.ts"

/**
 * Refuses what would give up a transaction as never signed while the signer has signed it: the answer got lost, and the bytes may be on the
 * chain. The worker takes them over when it comes to it. Where no signer is given, what is stored counts.
 */
export const makeNeverSigned = Effect.map(Effect.serviceOption(TransactionSigner), (found) =>
  Effect.fnUntraced(function* ({
    operation,
    signed,
    transaction
  }: Pick<WholePayout, "operation" | "signed" | "transaction">) {
    if (Option.isNone(found) || transaction?.phase !== "RESERVED") return
    const { guard, network } = transaction
    const asked = found.value.signed({ tenantId: operation.tenantId, network, guard, requests: [] })
    const all = yield* Effect.mapError(asked, () => apiError("provider_unavailable"))
    const lost = all.find(({ hash }) => !signed.some(({ attempt }) => attempt.hash === hash))
    if (lost === undefined) return
    yield* apiError("state_conflict", {
      message: `The signer has signed ${lost.hash} for it, which is about to be taken over. Try again in a moment.`
    })
  })
)
