import { utxoSizes } from "@bursar/core/transaction/UtxoSizes"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { selectUtxos } from "@bursar/core/transaction/selectUtxos"
import type { Payout } from "@bursar/core/payout/Payout"
import type { Utxo } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import type { Send } from "./Send.ts"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"

/** What coins pay, and what they cannot pay. */
export interface ChosenUtxos {
  readonly utxos: ReadonlyArray<Utxo>
  readonly payouts: ReadonlyArray<Payout>
  readonly short: ReadonlyArray<{ readonly payout: Payout; readonly reason: string; readonly detail: string }>
}

/** Why payouts wait where the node does not tell what a transaction would have to pay. */
const unknownFees = (payouts: ReadonlyArray<Payout>, detail: string): ChosenUtxos => ({
  utxos: [],
  payouts: [],
  short: payouts.map((payout) => ({ payout, reason: "fees_unknown", detail }))
})

/**
 * Chooses free UTXOs of a wallet that pay as many of some payouts as they can, the oldest first, at the rate that the node asks for
 * now. Coins are chosen so that a replacement at twice the rate could still be paid from the change. Where the rate is not known, all
 * wait.
 */
export const chooseUtxos = Effect.fn("send.chooseCoins")(function* (
  { sender }: Send,
  {
    payouts,
    tenantId,
    wallet
  }: { readonly tenantId: TenantId; readonly wallet: PayoutWallet; readonly payouts: ReadonlyArray<Payout> }
) {
  const queries = yield* Queries
  const utxos = yield* queries.records(tenantId, WalletUtxo, wallet.id)
  const asked = yield* Effect.result(sender.feeRate ?? Effect.succeed(null))
  if (Result.isFailure(asked)) return unknownFees(payouts, `the fee rate cannot be read: ${asked.failure.message}`)
  const feeRate = asked.success
  if (feeRate === null) return unknownFees(payouts, "the node gives no fee rate")
  const offered = utxos.map(({ address, txHash, units, vout }) => ({ address, txHash, units, vout }))
  let taken = payouts
  const left: Array<ChosenUtxos["short"][number]> = []
  while (taken.length > 0) {
    const targets = taken.map(({ to, units }) => ({ to, units }))
    const choice = { utxos: offered, targets, changeTo: wallet.address, sizes: utxoSizes }
    const chosen = selectUtxos({ ...choice, feeRate, reserveRate: 2n * feeRate })
    if (chosen._tag === "Selected") return { utxos: chosen.utxos, payouts: taken, short: left } satisfies ChosenUtxos
    const last = taken.at(-1)
    if (last !== undefined) {
      const detail = `the free confirmed UTXOs of ${wallet.address} lack ${chosen.units} satoshi`
      left.push({ payout: last, reason: "insufficient_wallet", detail })
    }
    taken = taken.slice(0, -1)
  }
  return { utxos: [], payouts: [], short: left } satisfies ChosenUtxos
})
