import { type Arrival, recordArrivals } from "@bursar/core/deposit/recordArrivals"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Block } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/port/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect } from "effect"
import { countDeposits } from "./metrics.ts"
import { countable, matchTransfers } from "./matchTransfers.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

/** Tenants written to at once. */
const tenantsAtOnce = 8

/** The addresses that are meant, each with its owner, where not all receivers are. */
export type Only = ReadonlyMap<string, TenantId>

const meant = (tenantId: TenantId, found: ReadonlyArray<Arrival>, only: Only | undefined) =>
  only === undefined ? found : found.filter(({ address }) => only.get(address) === tenantId)

/**
 * Records the deposits in a block, per tenant, and waits until all of them are committed. What is known already changes
 * nothing, so a block may be recorded any number of times. The directory is asked for the block's receivers only.
 * Returns the deposits that moved.
 */
export const recordBlock = Effect.fn("watch.recordBlock")(function* (
  { chain, currencies, fence, limits }: Watch,
  block: Block,
  latest: number,
  only?: Only
) {
  const { network, requiredConfirmations } = chain
  const transfers = countable(network, block, currencies).filter(({ to }) => only === undefined || only.has(to))
  if (transfers.length === 0) return []
  const state = yield* WatchState
  const owned = yield* state.owners(network, Arr.dedupe(transfers.map(({ to }) => to)))
  const known = yield* state.depositsAmong(network, Arr.dedupe(transfers.map(({ txHash }) => txHash)))
  const byTenant = matchTransfers(network, block, { owned, known, currencies, latest })
  const moved = yield* Effect.forEach(
    byTenant,
    ([tenantId, found]) =>
      Effect.forEach(Arr.chunksOf(meant(tenantId, found, only), limits.depositsPerCommandMax), (some) =>
        submitFenced(fence, tenantId, recordArrivals({ network, requiredConfirmations, arrivals: some }, currencies))
      ),
    { concurrency: tenantsAtOnce }
  )
  const deposits: ReadonlyArray<Deposit> = moved.flat(2)
  yield* countDeposits(network, "detected", deposits.length)
  yield* Effect.forEach(
    deposits,
    ({ id, tenantId, txHash, transferIndex, historical }) =>
      Effect.logInfo("deposit detected").pipe(
        Effect.annotateLogs({ height: block.number, deposit: id, tenant: tenantId, txHash, transferIndex, historical })
      ),
    { discard: true }
  )
  return deposits
})
