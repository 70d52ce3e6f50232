import { apiError } from "@bursar/api/errors/ApiError"
import { Writer } from "@bursar/core/engine/Writer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { holdSignedBefore, notStored, wasTold } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import { signedFor } from "@bursar/core/payout/signedUnstored"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { Effect, Option } from "effect"
import { orUnavailable, submit } from "../../../refusals.ts"

/**
 * Refuses to give up a payout in no outbound transaction that the signer has signed for in one of which nothing is stored, as after a restore: that may
 * pay it. Then it waits with the hashes (`signed_before`), and whoever gives it up after that was told, unless the signer has signed more for it since. Fails where the signer cannot tell. Where no
 * signer is given, what is stored counts.
 */
export const makeRefuseSigned = Effect.gen(function* () {
  const found = yield* Effect.serviceOption(TransactionSigner)
  const queries = yield* Queries
  const writer = yield* Writer
  return Effect.fnUntraced(function* (operation: Operation, currencies: CurrencyTable) {
    const { id, kind, status, tenantId } = operation
    if (Option.isNone(found) || kind !== "CHAIN_PAYOUT" || isOver(status)) return
    const payout = yield* orUnavailable(queries.record(tenantId, Payout, id))
    if (payout === undefined || payout.transactionId !== null) return
    const signed = yield* signedFor(operation, payout.network).pipe(
      Effect.provideService(TransactionSigner, found.value),
      Effect.provideService(Queries, queries),
      Effect.mapError(() => apiError("provider_unavailable"))
    )
    const hashes = signed.map(({ hash }) => hash)
    if (hashes.length === 0 || wasTold(payout, hashes)) return
    yield* submit(writer, tenantId, holdSignedBefore({ payout, hashes, currencies }))
    return yield* apiError("state_conflict", {
      message: `The signer has signed ${hashes.join(" and ")} for it before, ${notStored(hashes)}, then say again what becomes of it.`
    })
  })
})
