import type { ChainError } from "@bursar/core/port/Chain"
import type { TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { BigInt as Big, Effect } from "effect"
import { planPayouts } from "./internal/plan/planPayouts.ts"
import { hidesKey, planSweep } from "./internal/plan/planSweep.ts"

/** By what UTXOs are chosen. */
export interface BitcoinPlannerOptions {
  /** What a transaction pays to be mined soon, in satoshi per 1,000 virtual bytes; null where the node cannot tell. */
  readonly feeRate: Effect.Effect<bigint | null, ChainError>
  /**
   * The most that is paid at all: payouts are planned at no more, so that a rate above it, which a node may make up, keeps none waiting for UTXOs. It
   * shows when they are built. No limit where absent.
   */
  readonly feeRateMax?: bigint
  /** How many payments one transaction makes at most. */
  readonly paymentsMax: number
  /** How many UTXOs one sweep moves at most. */
  readonly sweepUtxosMax: number
}

/**
 * Chooses the UTXOs of payouts and sweeps.
 *
 * **Details**
 *
 * One transaction makes many payments, and a sweep moves UTXOs of many addresses. An address needs no native asset for its sweep, so there
 * is no top-up.
 */
export const bitcoinPlanner = ({
  feeRate: readRate,
  feeRateMax,
  paymentsMax,
  sweepUtxosMax
}: BitcoinPlannerOptions): TransactionPlanner => ({
  // what limits payouts is the UTXOs, which are chosen with them
  room: () => Number.POSITIVE_INFINITY,
  payouts: Effect.fn("BitcoinPlanner.payouts")(function* (request) {
    const asked = yield* readRate
    const feeRate = asked === null || feeRateMax === undefined ? asked : Big.min(asked, feeRateMax)
    const utxos = yield* request.freeUtxos
    return planPayouts({ request, utxos, feeRate, paymentsMax })
  }),
  sweptTogether: (waiting) => (waiting.length === 0 ? [] : [waiting]),
  sweep: Effect.fn("BitcoinPlanner.sweep")(function* (question) {
    const feeRate = yield* readRate
    const hidden = [...new Set(question.deposits.map(({ address }) => address).filter(hidesKey))]
    const keys = yield* Effect.forEach(hidden, (address) =>
      Effect.map(question.publicKeyOf(address), (key) => (key === undefined ? [] : ([[address, key]] as const)))
    )
    return planSweep({ question, publicKeys: new Map(keys.flat()), feeRate, utxosMax: sweepUtxosMax })
  }),
  topUp: () => Effect.succeed({ fee: null, left: 0n, guard: null })
})
