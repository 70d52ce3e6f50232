import { Custodian } from "@bursar/core/port/Custodian"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { judgeOpen } from "@bursar/core/reconciliation/recordObservation"
import { layerOver } from "@bursar/memory"
import type { Finding } from "@bursar/worker/reconcile/Finding"
import { observeNetwork } from "@bursar/worker/reconcile/observeNetwork"
import { bankKeeper, custodianKeeper, observeProvider } from "@bursar/worker/reconcile/observeProvider"
import { Clock, Effect } from "effect"
import type { AskNode } from "../outside/WorldNetwork.ts"
import type { World } from "../world/World.ts"

/** A difference between the books and a place, as reconciliation finds it. */
export interface Difference {
  readonly place: string
  readonly currency: string
  /** What the books say more than the place shows. */
  readonly units: bigint
  /** What of it could be in flight yet: nothing, once all is over. */
  readonly inFlight: { readonly least: bigint; readonly most: bigint }
}

const ask: AskNode = (_, answer) => answer

/** The network as far as the service has read it: what comes after it has ended is not its business. */
const asRead = ({ config, network, state }: World) =>
  network.asRead((state.networks.get(config.network)?.cursor?.number ?? 0) + 1)

/** Long after the end: what is over is not taken for something that a provider may not show yet. */
const laterMs = 86_400_000

const observed = Effect.fnUntraced(function* (world: World) {
  const { bank, currencies, exchange } = world
  const adapter = asRead(world)
  const codes = currencies.all.map(({ code }) => code)
  const balances = Effect.sync(() => new Map(codes.map((code) => [code, bank.holds(code)])))
  const keepers = [
    custodianKeeper(Custodian.of(exchange.reachedBy(ask))),
    bankKeeper(FiatProvider.of({ ...bank.reachedBy(ask), balances }))
  ]
  const onChain: ReadonlyArray<Finding> = yield* observeNetwork({ adapter, currencies, waitMs: 0 })
  const atProviders = yield* Effect.forEach(keepers, (keeper) => observeProvider(keeper, currencies, 0))
  return [...onChain, ...atProviders.flat()]
})

/**
 * Compares the books of a world whose end has come with its network, its custodian and its bank, as the service itself does. What differs is
 * a break; and what could be in flight for ever would hide one.
 */
export const findDifferences = (world: World): Effect.Effect<ReadonlyArray<Difference>> =>
  observed(world).pipe(
    Effect.map((findings) =>
      findings.flatMap(({ currency, found, place }): ReadonlyArray<Difference> => {
        if (found === null) return []
        const { inFlight, ledger, observed: there } = found
        const { difference } = judgeOpen({ ledger, observed: there, inFlight: { least: 0n, most: 0n } }, [])
        const isOpen = inFlight.least !== 0n || inFlight.most !== 0n
        return difference === 0n && !isOpen ? [] : [{ place: place.name, currency, units: difference, inFlight }]
      })
    ),
    Effect.orDie,
    Effect.provide(layerOver(world.state)),
    Effect.provideService(
      Clock.Clock,
      world.kernel.clock(() => laterMs)
    )
  )

/** What reconciliation finds where it should find nothing, in words. */
export const judgeReconciliation = (world: World): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(findDifferences(world), (all) =>
    all.map(({ currency, inFlight: { least, most }, place, units }) => {
      const open = least === 0n && most === 0n ? "" : `, of which ${least} to ${most} stay in flight for ever`
      return `the books and ${place} differ by ${units} ${currency}${open}`
    })
  )
