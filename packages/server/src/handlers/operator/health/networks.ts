import { OperatorApi } from "@bursar/api/OperatorApi"
import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import type { Timestamp } from "@bursar/core/engine/Timestamp"
import { type Network, networks as allNetworks } from "@bursar/core/money/Network"
import { AddressFormats } from "@bursar/core/port/AddressFormats"
import { type NetworkStatus, WatchState } from "@bursar/core/port/WatchState"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reading } from "../../../refusals.ts"
import { isoOrNull } from "../../../wire/moment.ts"

/** A watcher that has said nothing for this long has stopped. */
const silentAfterMs = 120_000

/** A watcher that is no further behind than this follows. */
const followingBlocksMax = 5

const lagOf = (status: NetworkStatus | undefined): number | null =>
  status?.cursor && status.latest !== null ? Math.max(0, status.latest - status.cursor.number) : null

const watcherStatus = (
  enabled: boolean,
  status: NetworkStatus | undefined,
  now: Timestamp
): OperatorNetwork["watcher_status"] => {
  if (!enabled) return "OFF"
  if (status === undefined) return "STARTING"
  if (status.problem !== null || now - status.updatedAt > silentAfterMs) return "STALLED"
  const lag = lagOf(status)
  if (lag === null) return "STARTING"
  return lag <= followingBlocksMax ? "FOLLOWING" : "CATCHING_UP"
}

const toWire = (
  network: Network,
  enabled: boolean,
  status: NetworkStatus | undefined,
  now: Timestamp
): OperatorNetwork => ({
  network,
  enabled,
  watcher_status: watcherStatus(enabled, status, now),
  height: status?.latest ?? null,
  scanned_height: status?.cursor?.number ?? null,
  lag_blocks: lagOf(status),
  problem: status?.problem ?? null,
  updated_at: isoOrNull(status?.updatedAt)
})

/** GET /operator/v1/networks: how each network is being read. */
export const networks = Effect.gen(function* () {
  const watching = yield* WatchState
  const { enabled } = yield* AddressFormats
  return HttpApiBuilder.handler(OperatorApi, "health", "networks", () =>
    Effect.gen(function* () {
      const statuses = new Map((yield* reading(watching.statuses)).map((status) => [status.network, status]))
      const now = yield* Clock.currentTimeMillis
      return {
        networks: allNetworks.map((network) => toWire(network, enabled.includes(network), statuses.get(network), now))
      }
    })
  )
})
