import { Networks } from "@bursar/core/port/Networks"
import { observeNetwork } from "@bursar/worker/reconcile/observeNetwork"
import { Effect } from "effect"
import { localCurrencies } from "./localCurrencies.ts"
import { until } from "./until.ts"

/** For how long a watcher may lag behind a block that was just asked about. */
const waitMs = 30_000

/** What the books and the networks differ by, and what is in flight, in words. */
const look = Effect.gen(function* () {
  const { enabled, get } = yield* Networks
  const findings = yield* Effect.forEach(enabled, (network) => {
    const adapter = get(network)
    return adapter === undefined ? Effect.succeed([]) : observeNetwork({ adapter, currencies: localCurrencies, waitMs })
  })
  return findings.flat().flatMap(({ currency, found, place }) => {
    if (found === null) return []
    const { inFlight, ledger, observed } = found
    const isOpen = inFlight.least !== 0n || inFlight.most !== 0n
    if (ledger === observed && !isOpen) return []
    return [
      `${place.name} ${currency}: ${ledger} booked, ${observed} there, ${inFlight.least} to ${inFlight.most} in flight`
    ]
  })
})

/**
 * Compares the books with the networks as the service does, once all is over: what is there is what is booked, to the unit, and nothing is
 * in flight. A watcher has to run. It is looked at again while the last blocks make things final.
 */
export const untilNoDifference = until(
  "the books and the networks agree",
  Effect.catchTag(look, "ChainError", ({ message }) => Effect.succeed([message])),
  (differences) => differences.length === 0
)
