import type { ChainError } from "@bursar/core/port/Chain"
import { Effect, Schema } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"

const Stroops = Schema.String.check(Schema.isPattern(/^[0-9]{1,12}$/u))

const FeeStats = Schema.Struct({
  last_ledger_base_fee: Stroops,
  fee_charged: Schema.Struct({ mode: Stroops, p95: Stroops })
})

/** What an operation costs lately, in stroops. */
export interface Fees {
  /** What most have paid. */
  readonly usual: bigint
  /** What to bid to be among the first in a full ledger: no more is taken than the cheapest of that ledger bid. */
  readonly bid: bigint
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** The fees of the last ledgers. */
export const readFees = Effect.fn("StellarSender.readFees")(function* (
  http: HorizonHttp
): Effect.fn.Return<Fees, ChainError> {
  const doing = "read the fees"
  const { fee_charged: charged, last_ledger_base_fee } = yield* decoded(
    doing,
    FeeStats,
    yield* http.get(doing, "fee_stats")
  )
  const base = BigInt(last_ledger_base_fee)
  if (base === 0n) return yield* inconsistent(doing, "nothing costs nothing")
  return { usual: larger(base, BigInt(charged.mode)), bid: 2n * larger(base, BigInt(charged.p95)) }
})
