import type { Command } from "@bursar/core/engine/Command"
import type { NetworkTable } from "@bursar/core/money/Network"
import type { WalletTransfer, WalletTransferStatus } from "@bursar/core/deposit/WalletTransfer"
import {
  confirmWalletTransfers,
  type FoundAtWallet,
  recordWalletTransfers,
  reorgWalletTransfers,
  type WalletTransferIn
} from "@bursar/core/incoming/walletTransfers"
import type { Undecided } from "@bursar/core/deposit/undecided"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Array as Arr, Effect } from "effect"
import { countSuspense } from "./metrics.ts"
import { submitFenced } from "./submitFenced.ts"
import type { Watch } from "./Watch.ts"

const events: Readonly<Record<WalletTransferStatus, Effect.Effect<void>>> = {
  DETECTED: Effect.logInfo("wallet_transfer.detected"),
  CONFIRMED: Effect.logInfo("wallet_transfer.confirmed"),
  REORGED: Effect.logInfo("wallet_transfer.reorged")
}

const log = ({ block, currency, network, status, tenantId, txHash, units, walletId }: WalletTransfer) =>
  events[status].pipe(
    Effect.annotateLogs({
      network,
      height: block.number,
      tenant: tenantId,
      wallet: walletId,
      txHash,
      currency,
      units: units.toString()
    })
  )

/** Calls a person: a transfer names nobody that it could be credited to, and stands in suspense until an operator credits it. */
const alarm = ({ address, currency, fromAddress, memo, network, paidTo, tenantId, txHash, units }: WalletTransfer) =>
  Effect.andThen(
    countSuspense(network, currency),
    Effect.logError("suspense.received").pipe(
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
  byTenant: ReadonlyMap<TenantId, ReadonlyArray<FoundAtWallet>>,
  reading: "first" | "again" | "agreed"
) {
  for (const [tenantId, found] of byTenant) {
    for (const some of Arr.chunksOf(found, limits.depositsPerCommandMax)) {
      const recorded = yield* submitFenced(fence, tenantId, recordWalletTransfers(some, networks, reading))
      yield* Effect.forEach(recorded, log, {
        discard: true
      })
    }
  }
})

const perTenant = Effect.fnUntraced(function* (
  { currencies: { networks }, fence, limits }: Watch,
  incomingTransfers: ReadonlyArray<WalletTransfer>,
  command: (
    all: ReadonlyArray<WalletTransferIn>,
    networks: NetworkTable,
    tenantId: TenantId
  ) => Command<ReadonlyArray<WalletTransfer>>
) {
  const all: Array<WalletTransfer> = []
  for (const [tenantId, ofTenant] of Map.groupBy(incomingTransfers, (incomingTransfer) => incomingTransfer.tenantId)) {
    for (const some of Arr.chunksOf(ofTenant, limits.depositsPerCommandMax)) {
      const named = some.map((incomingTransfer) => ({ incomingTransfer, block: incomingTransfer.block }))
      const moved = yield* submitFenced(fence, tenantId, command(named, networks, tenantId))
      all.push(...moved)
      yield* Effect.forEach(moved, log, { discard: true })
      const nobodys = moved.filter(
        ({ bookedBy, ownUnits, place, units }) => place === "ACCOUNT" && bookedBy !== null && ownUnits < units
      )
      yield* Effect.forEach(nobodys, alarm, { discard: true })
    }
  }
  return all
})

/**
 * Confirms transfers to wallets in the blocks that hold them: a deposit from outside is booked; on bitcoin its output can be spent. Returns
 * those that it confirmed: others wait, which the tenant moved from an address of its own where something is undecided.
 */
export const confirmAtWallets = (
  watch: Watch,
  incomingTransfers: ReadonlyArray<WalletTransfer>,
  undecidedOf: (tenantId: TenantId) => Undecided
) =>
  perTenant(watch, incomingTransfers, (all, networks, tenantId) =>
    confirmWalletTransfers(all, networks, undecidedOf(tenantId))
  )

/** Reverses transfers to wallets whose blocks have left the chain. */
export const markWalletsReorged = (watch: Watch, incomingTransfers: ReadonlyArray<WalletTransfer>) =>
  perTenant(watch, incomingTransfers, reorgWalletTransfers)
