import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { Leadership } from "@bursar/core/port/Leadership"
import { Networks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import { Effect, Layer, Option } from "effect"
import type { SweepLimits } from "../sweep/SweepLimits.ts"
import type { SendLimits } from "../transactions/SendLimits.ts"
import { sendNetwork, type SendPorts } from "./sendNetwork.ts"

/** How a sender works. */
export interface SenderOptions {
  readonly currencies: CurrencyTable
  readonly limits?: SendLimits
  /** Networks on which no payout of anybody is put into an outbound transaction, beside those that operators switch off. None where absent. */
  readonly payoutsOff?: ReadonlyArray<Network>
  /** How what arrived is swept; `"off"` for not at all. Default `defaultSweepLimits`. */
  readonly sweeps?: SweepLimits | "off"
}

/**
 * Sends on every network that can be written to, without end. Any number of processes may run it: on each network the one sends
 * that is elected for it. What arrived on addresses is swept where there are `Prices`: without them nothing is known to be worth
 * its cost. Interruption stops it in order: commands that were submitted are committed, what was signed is stored.
 */
export const run = Effect.fn("Sender.run")(function* ({
  currencies,
  limits,
  payoutsOff = [],
  sweeps: sweepLimits
}: SenderOptions): Effect.fn.Return<never, never, Leadership | Networks | SendPorts> {
  const networks = yield* Networks
  const prices = yield* Effect.serviceOption(Prices)
  const sweeps =
    sweepLimits === "off" || Option.isNone(prices)
      ? undefined
      : { usd: prices.value.usd, ...(sweepLimits && { limits: sweepLimits }) }
  const all = currencies.networks.all.flatMap(({ name: network }) => {
    const sender = networks.get(network)?.sender
    if (sender === undefined) return []
    return [sendNetwork({ sender, currencies, payoutsOff, ...(limits && { limits }), ...(sweeps && { sweeps }) })]
  })
  yield* Effect.all(all, { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

/** The sender as a process of a scope: it starts when the layer is built and stops in order when the scope closes. */
export const layer = (options: SenderOptions): Layer.Layer<never, never, Leadership | Networks | SendPorts> =>
  Layer.effectDiscard(Effect.forkScoped(run(options)))
