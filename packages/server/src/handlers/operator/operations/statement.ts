import type { ApiError } from "@bursar/api/errors/ApiError"
import type { ResolveOperation } from "@bursar/api/operator/OperatorOperation"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { Effect } from "effect"
import { refusalError } from "../../../refusals.ts"
import { amountIn } from "../../../wire/amountIn.ts"
import { invalidField } from "../found.ts"
import { networkTraits } from "../networkTraits.ts"

/** What an operator says became of an operation, read from the request. */
export const statementOf = Effect.fnUntraced(function* (
  { network }: Operation,
  payload: ResolveOperation,
  currencies: CurrencyTable
): Effect.fn.Return<Statement, ApiError> {
  const { network_fee: fee = null, received = null, tx_hash: given = null } = payload
  const txHash =
    given === null || network === null
      ? given
      : canonicalHash(yield* networkTraits(currencies.networks, network), given)
  if (txHash === undefined) return yield* invalidField("tx_hash", "Expected 32 bytes in hexadecimal.")
  const read = (one: { readonly amount: string; readonly currency: string }) =>
    Effect.catch(Effect.fromResult(amountIn(currencies, one)), refusalError)
  return {
    outcome: payload.outcome,
    basis: payload.basis,
    reference: payload.reference,
    source: payload.source,
    text: payload.statement,
    providerReference: payload.provider_reference ?? null,
    txHash,
    received: received === null ? null : yield* read(received),
    networkFee: fee === null ? null : { amount: yield* read(fee), borneBy: fee.borne_by }
  }
})
