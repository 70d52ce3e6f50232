import { type DeepEnough, confirmDeposits } from "@bursar/core/deposit/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { BlockRef, Tip } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/port/WatchState"
import { Array as Arr, Effect } from "effect"
import { countDeposits } from "./metrics.ts"
import { inconsistent, readHeader } from "./readBlock.ts"
import { reverseLost } from "./reverseLost.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

/**
 * The hash of the block at a height: as it is remembered, or as the node says. On the node's word a deposit may be given
 * up, so the header above must name that block as its parent.
 */
const canonicalHash = Effect.fnUntraced(function* (
  { chain }: Watch,
  { latest }: Tip,
  remembered: ReadonlyMap<number, BlockRef>,
  number: number
) {
  const known = remembered.get(number)?.hash ?? remembered.get(number + 1)?.parentHash
  if (known !== undefined) return known
  const header = yield* readHeader(chain, number)
  const above = number < latest.number ? yield* readHeader(chain, number + 1) : undefined
  if (above !== undefined && above.parentHash !== header.hash) {
    return yield* inconsistent(chain, `reading header ${number}`, `it is not the parent of header ${number + 1}`)
  }
  return header.hash
})

/**
 * Confirms the deposits whose blocks are deep enough, after finding each block by its hash on the chain; a deposit whose
 * block is another by now is marked as reorged. Returns whether there is more to confirm right away.
 */
export const confirm = Effect.fn("watch.confirm")(function* (watch: Watch, cursor: BlockRef, tip: Tip) {
  const { chain, currencies, fence, limits } = watch
  const { network } = chain
  const height = Math.min(tip.confirmed, cursor.number)
  const state = yield* WatchState
  const deposits = height < 0 ? [] : yield* state.detectedUpTo(network, height, limits.confirmationsPerPassMax)
  const lowest = deposits[0]?.block?.number
  if (lowest === undefined) return false
  const remembered = new Map((yield* state.blocks(network, lowest)).map((block) => [block.number, block]))
  const hashes = new Map<number, string>()
  const deep: Array<DeepEnough> = []
  const lost: Array<Deposit> = []
  for (const deposit of deposits) {
    if (deposit.block === null) continue
    const { hash, number } = deposit.block
    const canonical = hashes.get(number) ?? (yield* canonicalHash(watch, tip, remembered, number))
    hashes.set(number, canonical)
    if (canonical === hash) deep.push({ deposit, blockHash: hash, confirmations: tip.latest.number - number + 1 })
    else lost.push(deposit)
  }
  const reorged = yield* reverseLost(watch, lost)
  const byTenant = Arr.groupBy(deep, ({ deposit }) => deposit.tenantId)
  const moved = yield* Effect.forEach(Object.values(byTenant), (ofTenant) =>
    Effect.forEach(Arr.chunksOf(ofTenant, limits.depositsPerCommandMax), (some) =>
      submitFenced(fence, some[0].deposit.tenantId, confirmDeposits(some, currencies))
    )
  )
  const confirmed = moved.flat(2)
  yield* countDeposits(network, "confirmed", confirmed.length)
  yield* Effect.forEach(
    confirmed,
    ({ block, creditedBy, id, tenantId, txHash, transferIndex }) =>
      Effect.logInfo("deposit confirmed").pipe(
        Effect.annotateLogs({
          height: block?.number,
          deposit: id,
          tenant: tenantId,
          txHash,
          transferIndex,
          credited: creditedBy !== null
        })
      ),
    { discard: true }
  )
  return deposits.length === limits.confirmationsPerPassMax && confirmed.length + reorged.length > 0
})
