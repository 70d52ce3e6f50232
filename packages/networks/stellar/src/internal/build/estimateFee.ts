import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender, FeeEstimate } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { demux, parseStellarAddress } from "../../Address.ts"
import { readAccount } from "./readAccount.ts"
import { readFees } from "./readFees.ts"
import { freshLedger, type SenderContext } from "./SenderContext.ts"

type Asked = Parameters<ChainSender["estimate"]>[0]

/** Whether a receiver has agreed to hold an asset, with the issuer's consent; null where that has no meaning. */
const holds = Effect.fnUntraced(function* (
  context: SenderContext,
  contract: string | null,
  to: string | null
): Effect.fn.Return<boolean | null, ChainError> {
  if (contract === null || to === null || Result.isFailure(parseStellarAddress(to))) return null
  const id = demux(to)?.account ?? to
  if (contract.endsWith(`:${id}`)) return true
  const account = yield* readAccount(context.http, id, yield* freshLedger(context))
  return account?.lines.get(contract)?.authorized === true
})

const unknown: FeeEstimate = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }

/** What a payment would cost now, which on stellar does not depend on its parties. */
export const estimateFee = Effect.fn("StellarSender.estimate")(function* (
  context: SenderContext,
  { contract, to }: Asked
): Effect.fn.Return<FeeEstimate> {
  return yield* Effect.gen(function* () {
    const { usual } = yield* readFees(context.http)
    const recipientHoldsAsset = yield* holds(context, contract, to)
    return { fee: usual, recipientHoldsAsset, assumedWorstCase: false }
  }).pipe(Effect.orElseSucceed(() => unknown))
})
