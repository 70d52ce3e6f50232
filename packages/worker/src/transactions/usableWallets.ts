import { rulingOf } from "@bursar/core/grant/Ruling"
import { isGrantedWallet } from "@bursar/core/granting/issuingByGrants"
import { payingWallets, type PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Random } from "effect"

/**
 * The wallets of a network that a tenant's payouts can be paid from and its sweeps can go to: where it goes by grants and has several, those that are
 * granted, as the signer signs for no other. Where none is, the first, so that what waits says why.
 */
export const usableWallets = Effect.fn("send.usableWallets")(function* (
  tenantId: TenantId,
  wallets: ReadonlyArray<PayoutWallet>
) {
  const paying = payingWallets(wallets)
  if (paying.length < 2) return paying
  const ruling = yield* rulingOf(tenantId)
  const granted = paying.filter((wallet) => isGrantedWallet(ruling, wallet))
  return granted.length === 0 ? paying.slice(0, 1) : granted
})

/** The wallet that a sweep goes to: of several, one that is drawn by lot, so that each of them gets its share; undefined where there is none. */
export const drawnWallet = Effect.fn("send.drawnWallet")(function* (
  tenantId: TenantId,
  wallets: ReadonlyArray<PayoutWallet>
) {
  const usable = yield* usableWallets(tenantId, wallets)
  return usable.length < 2 ? usable[0] : (yield* Random.shuffle(usable))[0]
})
