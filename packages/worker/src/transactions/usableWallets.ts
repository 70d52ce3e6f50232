import { rulingOf } from "@bursar/core/grant/Ruling"
import { isGrantedWallet } from "@bursar/core/granting/issuingByGrants"
import { payingWallets, type PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Random } from "effect"

/**
 * The wallets of a network that a tenant's payouts are paid from and its sweeps go to: where it goes by grants and has several, those that are granted.
 * Where none is, the first. The signer signs no sweep to one that is not granted; of what it pays, it judges the request and not the wallet.
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
