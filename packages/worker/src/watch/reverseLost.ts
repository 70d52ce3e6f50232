import type { Deposit } from "@bursar/core/deposit/Deposit"
import { type Lost, reorgDeposits } from "@bursar/core/deposit/reorgDeposits"
import { Array as Arr, Effect } from "effect"
import { countDeposits } from "./metrics.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

/** Marks deposits as reorged, per tenant, as they stand in the blocks that went. Sending it again changes nothing. */
export const reverseLost = Effect.fn("watch.reverseLost")(function* (
  { chain: { network }, currencies, fence, limits }: Watch,
  deposits: ReadonlyArray<Deposit>
) {
  const byTenant = Arr.groupBy(deposits, ({ tenantId }) => tenantId)
  const moved = yield* Effect.forEach(Object.values(byTenant), (ofTenant) =>
    Effect.forEach(Arr.chunksOf(ofTenant, limits.depositsPerCommandMax), (some) => {
      const lost = some.flatMap((deposit): ReadonlyArray<Lost> =>
        deposit.block === null ? [] : [{ deposit, blockHash: deposit.block.hash }]
      )
      return submitFenced(fence, some[0].tenantId, reorgDeposits(lost, currencies))
    })
  )
  const reorged: ReadonlyArray<Deposit> = moved.flat(2)
  yield* countDeposits(network, "reorged", reorged.length)
  yield* Effect.forEach(
    reorged,
    ({ block, id, tenantId, transferIndex, txHash }) =>
      Effect.logWarning("deposit reorged").pipe(
        Effect.annotateLogs({ height: block?.number, deposit: id, tenant: tenantId, txHash, transferIndex })
      ),
    { discard: true }
  )
  return reorged
})
