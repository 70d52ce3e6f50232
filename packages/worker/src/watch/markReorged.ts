import type { Deposit } from "@bursar/core/deposit/Deposit"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Network } from "@bursar/core/money/Network"
import { Array as Arr, Effect } from "effect"
import { countDeposits } from "./metrics.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

/** Counts and logs deposits that are reorged. */
export const tellReorged = Effect.fnUntraced(function* (network: Network, reorged: ReadonlyArray<Deposit>) {
  yield* countDeposits(network, "reorged", reorged.length)
  yield* Effect.forEach(
    reorged,
    ({ block, id, tenantId, transferIndex, txHash }) =>
      Effect.logWarning("deposit.reorged").pipe(
        Effect.annotateLogs({ height: block?.number ?? "none", deposit: id, tenant: tenantId, txHash, transferIndex })
      ),
    { discard: true }
  )
})

/**
 * Marks deposits as reorged, per tenant, as they stand in the blocks that went, or without a block. Sending it again changes
 * nothing. Those whose transactions wait for a block are detected again by the next reading of what waits.
 */
export const markReorged = Effect.fn("watch.reverseLost")(function* (
  { chain: { network }, currencies, fence, limits, mempool }: Watch,
  deposits: ReadonlyArray<Deposit>
) {
  const byTenant = Arr.groupBy(deposits, ({ tenantId }) => tenantId)
  const moved = yield* Effect.forEach(Object.values(byTenant), (ofTenant) =>
    Effect.forEach(Arr.chunksOf(ofTenant, limits.depositsPerCommandMax), (some) => {
      const lost = some.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? null }))
      return submitFenced(fence, some[0].tenantId, reorgDeposits(lost, currencies))
    })
  )
  const reorged: ReadonlyArray<Deposit> = moved.flat(2)
  for (const { txHash } of reorged) if (mempool?.waiting.has(txHash) === true) mempool.due.add(txHash)
  yield* tellReorged(network, reorged)
  return reorged
})
