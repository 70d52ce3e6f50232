import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import type { Utxo } from "@bursar/core/port/Utxo"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { Effect } from "effect"
import { submit } from "./world.ts"

/** The block that holds the coins. */
export const block = { number: 1, hash: "funding", time: 0 }

/** Coins that have come to a wallet, each of 100,000 satoshi, as they were found. */
export const coinsFor = Effect.fnUntraced(function* (
  tenantId: TenantId,
  { address, id, network }: PayoutWallet,
  count: number
) {
  const found = Array.from({ length: count }, (_, transferIndex) => ({
    network,
    txHash: newTxHash(),
    transferIndex,
    walletId: id,
    address,
    paidTo: address,
    memo: null,
    currency: "BTC",
    units: 100_000n,
    fromAddress: null,
    block
  }))
  const all = yield* submit(tenantId, recordWalletTransfers(found, presetNetworks))
  const incomingTransfers = yield* submit(
    tenantId,
    confirmWalletTransfers(
      all.map((incomingTransfer) => ({ incomingTransfer, block })),
      presetNetworks,
      nothingUndecided
    )
  )
  const utxos: ReadonlyArray<Utxo> = incomingTransfers.map(({ transferIndex, txHash, units }) => ({
    txHash,
    vout: transferIndex,
    units,
    address
  }))
  return { incomingTransfers, utxos, found }
})
