import type { Network } from "@bursar/core/money/Network"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect } from "effect"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable } from "../../refusals.ts"

/** Why nobody's payouts are made on a network now; null where they are. */
export const switchedOffNow = Effect.gen(function* () {
  const { payoutsOff = [] } = yield* ServerConfig
  const { all } = yield* NetworkSwitches
  return (network: Network) =>
    Effect.map(orUnavailable(all), (switches) => switchedOffForAll(switches, payoutsOff, network))
})
