import type { Command } from "@bursar/core/engine/Command"
import type { WalletArrival } from "@bursar/core/outbound/WalletArrival"
import {
  confirmWalletArrivals,
  type FoundAtWallet,
  recordWalletArrivals,
  reorgWalletArrivals,
  type WalletArrivalIn
} from "@bursar/core/outbound/walletArrivals"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect } from "effect"
import { countSuspense } from "./metrics.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

const log = (what: string, { block, currency, network, status, tenantId, txHash, units, walletId }: WalletArrival) =>
  Effect.logInfo(what).pipe(
    Effect.annotateLogs({
      network,
      height: block.number,
      tenant: tenantId,
      wallet: walletId,
      txHash,
      currency,
      units: units.toString(),
      status
    })
  )

/** Calls a person: something has come that cannot be given to anybody. */
const alarm = ({ address, currency, fromAddress, memo, network, paidTo, tenantId, txHash, units }: WalletArrival) =>
  Effect.andThen(
    countSuspense(network, currency),
    Effect.logError("something came for nobody; it stands in suspense until an operator gives it to somebody").pipe(
      Effect.annotateLogs({
        network,
        tenant: tenantId,
        address,
        paidTo,
        memo: memo === null ? "none" : `${memo.type}:${memo.value}`,
        from: fromAddress ?? "unknown",
        txHash,
        currency,
        units: units.toString()
      })
    )
  )

/** Records what came to wallets in a block, per tenant, and waits until all of it is committed. */
export const recordAtWallets = Effect.fn("watch.recordAtWallets")(function* (
  { fence, limits }: Watch,
  byTenant: ReadonlyMap<TenantId, ReadonlyArray<FoundAtWallet>>
) {
  for (const [tenantId, found] of byTenant) {
    for (const some of Arr.chunksOf(found, limits.depositsPerCommandMax)) {
      const recorded = yield* submitFenced(fence, tenantId, recordWalletArrivals(some))
      yield* Effect.forEach(recorded, (arrival) => log("something came to a wallet", arrival), { discard: true })
    }
  }
})

const perTenant = Effect.fnUntraced(function* (
  { fence, limits }: Watch,
  arrivals: ReadonlyArray<WalletArrival>,
  what: string,
  command: (all: ReadonlyArray<WalletArrivalIn>) => Command<ReadonlyArray<WalletArrival>>
) {
  for (const [tenantId, all] of Map.groupBy(arrivals, (arrival) => arrival.tenantId)) {
    for (const some of Arr.chunksOf(all, limits.depositsPerCommandMax)) {
      const named = some.map((arrival) => ({ arrival, block: arrival.block }))
      const moved = yield* submitFenced(fence, tenantId, command(named))
      yield* Effect.forEach(moved, (arrival) => log(what, arrival), { discard: true })
      const nobodys = moved.filter(
        ({ bookedBy, ownUnits, place, units }) => place === "ACCOUNT" && bookedBy !== null && ownUnits < units
      )
      yield* Effect.forEach(nobodys, alarm, { discard: true })
    }
  }
})

/** Confirms arrivals at wallets in the blocks in which they stand: what came from outside is booked, on bitcoin it can be spent. */
export const confirmAtWallets = (watch: Watch, arrivals: ReadonlyArray<WalletArrival>) =>
  perTenant(watch, arrivals, "what came to a wallet is confirmed", confirmWalletArrivals)

/** Takes back what came to wallets in blocks that are not on the chain any more. */
export const reverseAtWallets = (watch: Watch, arrivals: ReadonlyArray<WalletArrival>) =>
  perTenant(watch, arrivals, "what came to a wallet is on the chain no more", reorgWalletArrivals)
