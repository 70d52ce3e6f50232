import type { Writer } from "@bursar/core/engine/Writer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { JobQueue } from "@bursar/core/port/JobQueue"
import type { Deliveries } from "@bursar/core/port/Deliveries"
import { allCustodians, allFiatProviders, allIdentityProviders } from "@bursar/core/port/EarlierProviders"
import type { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import type { Leadership } from "@bursar/core/port/Leadership"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { Networks } from "@bursar/core/port/Networks"
import { ProviderCalls } from "@bursar/core/port/ProviderCalls"
import type { Quarantine } from "@bursar/core/port/Quarantine"
import type { Queries } from "@bursar/core/store/Queries"
import type { SecretBox } from "@bursar/core/port/SecretBox"
import type { WatchState } from "@bursar/core/store/WatchState"
import { Effect, Layer } from "effect"
import { forgetOld, type KeepLimits } from "./calls/forgetOld.ts"
import { workCustody } from "./custody/workCustody.ts"
import type { DeliverLimits } from "./deliver/DeliverOptions.ts"
import { deliverWebhooks } from "./deliver/deliverWebhooks.ts"
import { workFiat } from "./fiat/workFiat.ts"
import * as nodeEgress from "./egress/nodeEgress.ts"
import type { Egress } from "./egress/Egress.ts"
import type { QueueLimits } from "./queue/workQueue.ts"
import type { SecondNodePolicy } from "./watch/secondNode/SecondNode.ts"
import { watchNetwork } from "./watch/watchNetwork.ts"
import type { WatchLimits } from "./watch/WatchLimits.ts"

/** How a worker works. */
export interface WorkerOptions {
  readonly currencies: CurrencyTable
  /** SERVICE_NAME: it stands in the names of webhook headers. */
  readonly serviceName: string
  /** Lets SANDBOX tenants have webhooks on loopback and private addresses. For development alone. */
  readonly sandboxMayReachLocal: boolean
  readonly watchLimits?: WatchLimits
  /** Which arrivals need a second node; none where absent. */
  readonly secondNode?: SecondNodePolicy
  readonly deliverLimits?: DeliverLimits
  /** How fast the queues of custodians, transfers and identity checks are worked through. */
  readonly queueLimits?: QueueLimits
}

/** For how long calls of providers are kept: a year and a month, longer than any of them can be disputed. */
const callsKept: KeepLimits = { keptMs: 396 * 86_400_000, intervalMs: 3_600_000, forgottenMax: 5_000 }

/** What a worker stands on: the ports that it drives, all but the way out. */
export type WorkerPorts =
  | JobQueue
  | Deliveries
  | HeldArrivals
  | Leadership
  | Networks
  | ProviderCalls
  | Quarantine
  | Queries
  | SecretBox
  | WatchState
  | Writer

/**
 * Watches every enabled network, carries withdrawals, swaps and transfers to the providers that they name, reads identity checks and accounts, and delivers webhooks, without end. Any number of processes may run it: a
 * network is read by the one that is elected for it, endpoints are shared by leases. Interruption stops it in order: commands that were
 * submitted are committed, webhook requests in flight are finished and reported, leaderships and leases are given back.
 */
export const run = Effect.fn("Worker.run")(function* (
  options: WorkerOptions
): Effect.fn.Return<never, never, WorkerPorts | Egress> {
  const { currencies, deliverLimits, queueLimits, sandboxMayReachLocal, secondNode, serviceName, watchLimits } = options
  const queues = queueLimits && { limits: queueLimits }
  const networks = yield* Networks
  const { enabled, get } = networks
  const watchers = enabled.flatMap((network) => {
    const adapter = get(network)
    if (adapter === undefined) return []
    return [
      watchNetwork({
        adapter,
        currencies,
        ...(watchLimits && { limits: watchLimits }),
        ...(secondNode && { secondNode })
      })
    ]
  })
  const deliverer = deliverWebhooks({
    serviceName,
    sandboxMayReachLocal,
    ...(deliverLimits && { limits: deliverLimits })
  }).pipe(Effect.provideServiceEffect(ShownAddresses.ShownAddresses, ShownAddresses.make(currencies.networks)))
  const custody = workCustody({ currencies, custodians: yield* allCustodians, networks, ...queues })
  const fiat = workFiat({
    currencies,
    fiats: yield* allFiatProviders,
    identities: yield* allIdentityProviders,
    ...queues
  })
  const forgetting = forgetOld(callsKept, (yield* ProviderCalls).forget)
  yield* Effect.all([...watchers, deliverer, custody, fiat, forgetting], { concurrency: "unbounded", discard: true })
  return yield* Effect.never
})

/** The worker as a process of a scope: it starts when the layer is built and stops in order when the scope closes. */
export const layer = (options: WorkerOptions): Layer.Layer<never, never, WorkerPorts> =>
  Layer.effectDiscard(Effect.forkScoped(run(options))).pipe(Layer.provide(nodeEgress.layer))
