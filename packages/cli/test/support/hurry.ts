import { Prices } from "@bursar/core/port/Prices"
import { defaultSweepLimits } from "@bursar/worker/sweep/SweepLimits"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import { Clock, Effect, Layer } from "effect"

/** Every asset is worth a dollar, at this moment. */
export const dollarPrices = Layer.succeed(
  Prices,
  Prices.of({
    usd: () =>
      Effect.map(Clock.currentTimeMillis, (observedAt) => ({
        price: { units: 1n, decimals: 0 },
        source: "test",
        observedAt
      })),
    rate: () => Effect.succeed(null)
  })
)

/** A worker that a test does not wait for longer than it has to. */
export const hurry = {
  limits: { ...defaultSendLimits, idleMs: 100, checkFirstMs: 300, checkLongestMs: 1_000, retryFirstMs: 300 },
  sweeps: { ...defaultSweepLimits, idleMs: 200, reconsiderMs: 1_000, followMs: 300 }
}
