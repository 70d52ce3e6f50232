import type { Command } from "@bursar/core/engine/Command"
import type { NetworkTable } from "@bursar/core/money/Network"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import {
  confirmWalletTransfers,
  type FoundAtWallet,
  recordWalletTransfers,
  reorgWalletTransfers,
  type WalletTransferIn
} from "@bursar/core/incoming/walletTransfers"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect } from "effect"
import { countSuspense } from "./metrics.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

const log = (what: string, { block, currency, network, status, tenantId, txHash, units, walletId }: WalletTransfer) =>
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
const alarm = ({ address, currency, fromAddress, memo, network, paidTo, tenantId, txHash, units }: WalletTransfer) =>
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
  { currencies: { networks }, fence, limits }: Watch,
  byTenant: ReadonlyMap<TenantId, ReadonlyArray<FoundAtWallet>>
) {
  for (const [tenantId, found] of byTenant) {
    for (const some of Arr.chunksOf(found, limits.depositsPerCommandMax)) {
      const recorded = yield* submitFenced(fence, tenantId, recordWalletTransfers(some, networks))
      yield* Effect.forEach(recorded, (incomingTransfer) => log("something came to a wallet", incomingTransfer), {
        discard: true
      })
    }
  }
})

const perTenant = Effect.fnUntraced(function* (
  { currencies: { networks }, fence, limits }: Watch,
  incomingTransfers: ReadonlyArray<WalletTransfer>,
  what: string,
  command: (all: ReadonlyArray<WalletTransferIn>, networks: NetworkTable) => Command<ReadonlyArray<WalletTransfer>>
) {
  for (const [tenantId, all] of Map.groupBy(incomingTransfers, (incomingTransfer) => incomingTransfer.tenantId)) {
    for (const some of Arr.chunksOf(all, limits.depositsPerCommandMax)) {
      const named = some.map((incomingTransfer) => ({ incomingTransfer, block: incomingTransfer.block }))
      const moved = yield* submitFenced(fence, tenantId, command(named, networks))
      yield* Effect.forEach(moved, (incomingTransfer) => log(what, incomingTransfer), { discard: true })
      const nobodys = moved.filter(
        ({ bookedBy, ownUnits, place, units }) => place === "ACCOUNT" && bookedBy !== null && ownUnits < units
      )
      yield* Effect.forEach(nobodys, alarm, { discard: true })
    }
  }
})

/** Confirms arrivals at wallets in the blocks in which they stand: what came from outside is booked, on bitcoin it can be spent. */
export const confirmAtWallets = (watch: Watch, incomingTransfers: ReadonlyArray<WalletTransfer>) =>
  perTenant(watch, incomingTransfers, "what came to a wallet is confirmed", confirmWalletTransfers)

/** Takes back what came to wallets in blocks that are not on the chain any more. */
export const markWalletsReorged = (watch: Watch, incomingTransfers: ReadonlyArray<WalletTransfer>) =>
  perTenant(watch, incomingTransfers, "what came to a wallet is on the chain no more", reorgWalletTransfers)
