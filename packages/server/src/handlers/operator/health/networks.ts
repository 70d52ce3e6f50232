import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { Network, NetworkTraits } from "@bursar/core/money/Network"
import { switchedOffForAll } from "@bursar/core/payout/payoutSwitches"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import type { NodeRecord } from "@bursar/core/port/Chain"
import { Networks } from "@bursar/core/port/Networks"
import { type NetworkSwitch, NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { type NetworkStatus, WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Explorer, explorerOf } from "../../../config/explorers.ts"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { isoOrNull, momentOrUndefined } from "../../../wire/moment.ts"
import { aloneHere } from "../grants/alone.ts"
import { refuseOtherStop } from "../refuseOtherStop.ts"

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

/** All that is known of the networks at a moment. */
interface Known {
  readonly enabled: ReadonlyArray<Network>
  readonly statuses: ReadonlyArray<NetworkStatus>
  readonly switches: ReadonlyArray<NetworkSwitch>
  /** Those that the configuration has switched payouts off on. */
  readonly configured: ReadonlyArray<Network>
  /** How many blocks make a deposit final; null where there is no node. */
  readonly confirmationsOf: (network: Network) => number | null
  readonly now: Timestamp
  readonly explorers: ReadonlyMap<Network, Explorer | null> | undefined
}

const payoutsOf = ({ configured, switches }: Known, network: Network) => {
  const switched = switches.find((one) => one.network === network)
  return {
    payouts_enabled: switchedOffForAll(switches, configured, network) === null,
    payouts_off_reason:
      switched?.reason ?? (configured.includes(network) ? "PAYOUTS_OFF has it in the configuration." : null),
    payouts_switched_by: switched?.changedBy ?? null,
    payouts_switched_at: isoOrNull(switched?.changedAt)
  }
}

const nodeToWire = ({ calls, failed, isAsked, node, operator, problem, problemAt }: NodeRecord) => ({
  node,
  operator,
  is_asked: isAsked,
  calls,
  failed,
  problem,
  problem_at: isoOrNull(problemAt)
})

const toWire = (traits: NetworkTraits, known: Known): OperatorNetwork => {
  const { environment, name: network } = traits
  const status = known.statuses.find((one) => one.network === network)
  const enabled = known.enabled.includes(network)
  return {
    network,
    enabled,
    environment,
    explorer: explorerOf(traits, known.explorers),
    confirmations: known.confirmationsOf(network),
    watcher_status: watcherStatus(enabled, status, known.now),
    height: status?.latest ?? null,
    scanned_height: status?.cursor?.number ?? null,
    lag_blocks: lagOf(status),
    problem: status?.problem ?? null,
    notice: status?.notice ?? null,
    nodes: enabled ? (status?.nodes ?? []).map(nodeToWire) : [],
    updated_at: isoOrNull(status?.updatedAt),
    ...payoutsOf(known, network)
  }
}

/** Reads all that is known of the networks now. */
const knowing = Effect.gen(function* () {
  const watching = yield* WatchState
  const switching = yield* NetworkSwitches
  const { enabled, get } = yield* Networks
  const { explorers, payoutsOff: configured = [] } = yield* ServerConfig
  return Effect.gen(function* () {
    const statuses = yield* orUnavailable(watching.statuses)
    const switches = yield* orUnavailable(switching.all)
    const confirmationsOf = (network: Network) => get(network)?.reader.requiredConfirmations ?? null
    const now = yield* Clock.currentTimeMillis
    return { enabled, statuses, switches, configured, confirmationsOf, now, explorers } satisfies Known
  })
})

/** GET /operator/v1/networks: how each network is being read, and whether payouts are made on it. */
export const networks = Effect.gen(function* () {
  const known = yield* knowing
  const { all } = (yield* ServerConfig).currencies.networks
  return HttpApiBuilder.handler(OperatorApi, "health", "networks", () =>
    Effect.map(known, (now) => ({ networks: all.map((traits) => toWire(traits, now)) }))
  )
})

/** Switches a network for everybody, and tells how it is then. */
const switching = Effect.gen(function* () {
  const writer = yield* Writer
  const known = yield* knowing
  const { networks: table } = (yield* ServerConfig).currencies
  return Effect.fnUntraced(function* (network: Network, reason: string | null, stoppedAt?: Timestamp) {
    if (!table.has(network)) return yield* apiError("not_found")
    const { name: changedBy } = yield* Operator
    yield* submit(writer, fleetTenantId, switchNetwork(network, reason, changedBy, stoppedAt))
    return toWire(table.of(network), yield* known)
  })
})

/** POST /operator/v1/networks/{network}/stop-payouts. */
export const stopPayouts = Effect.gen(function* () {
  const switched = yield* switching
  const alone = yield* aloneHere
  return HttpApiBuilder.handler(
    OperatorApi,
    "health",
    "stopPayouts",
    Effect.fnUntraced(function* ({ params: { network }, payload: { reason } }) {
      const { name } = yield* Operator
      const stopped = yield* switched(network, reason)
      yield* alone.lowered(null, { _tag: "Stopped", network, reason: `Stopped by ${name}.` })
      return stopped
    })
  )
})

/** POST /operator/v1/networks/{network}/resume-payouts. */
export const resumePayouts = Effect.gen(function* () {
  const { payoutsOff = [] } = yield* ServerConfig
  const switched = yield* switching
  const alone = yield* aloneHere
  const refuseOther = yield* refuseOtherStop
  return HttpApiBuilder.handler(
    OperatorApi,
    "health",
    "resumePayouts",
    Effect.fnUntraced(function* ({ params: { network }, query }) {
      if (payoutsOff.includes(network))
        return yield* apiError("state_conflict", { message: `PAYOUTS_OFF has ${network} in the configuration.` })
      const stoppedAt = momentOrUndefined(query.stopped_at)
      yield* refuseOther(network, stoppedAt)
      yield* alone.refuse({ kind: "network", values: { network, stopped: false, reason: "" } }, null)
      return yield* switched(network, null, stoppedAt)
    })
  )
})
