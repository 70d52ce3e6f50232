import type { OperatorWalletDetail } from "@bursar/api/operator/OperatorWalletDetail"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Currency, CurrencyTable } from "@bursar/core/money/Currency"
import { operationsOf, type OutboundTransaction, utxosHeld } from "@bursar/core/transaction/OutboundTransaction"
import { committedUnits, type PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { Utxo } from "@bursar/core/port/Utxo"
import { isoOrNull } from "../../../wire/moment.ts"
import { money } from "../../../wire/money.ts"

/** An asset of a wallet's network with what the chain shows of it; undefined where no node answers. */
export interface OnChain {
  readonly currency: Currency
  readonly units: bigint | undefined
}

/** What is shown of a wallet's assets: all that it has or will pay, and always what it pays fees in. */
export const assetsToWire = (
  currencies: CurrencyTable,
  wallet: PayoutWallet,
  balances: ReadonlyArray<OnChain>
): OperatorWalletDetail["assets"] =>
  balances.flatMap(({ currency: { asset, code }, units }) => {
    const contract = asset?.contract ?? null
    const committed = committedUnits(wallet, contract)
    return units === 0n && committed === 0n && contract !== null
      ? []
      : [
          {
            currency: code,
            on_chain: units === undefined ? null : money(currencies, units, code),
            committed: money(currencies, committed, code)
          }
        ]
  })

const sequenceOf = ({ guard }: Pick<OutboundTransaction, "guard">): bigint | null =>
  guard._tag === "Sequence" ? guard.sequence : null

/** More numbers than these are not looked through: nothing pays so many at once. */
const numbersMax = 1_000n

/**
 * The numbers between the chain's next and the wallet's next that no open transaction takes. Where not all that are open were read, only those below
 * the highest that was.
 */
export const gapsOf = (
  { nextSequence }: Pick<PayoutWallet, "nextSequence">,
  chain: bigint | undefined,
  { open, whole }: { readonly open: ReadonlyArray<Pick<OutboundTransaction, "guard">>; readonly whole: boolean }
): ReadonlyArray<string> => {
  if (nextSequence === null || chain === undefined) return []
  const taken = new Set(open.map(sequenceOf))
  const highest = open.map(sequenceOf).reduce<bigint>((most, one) => (one !== null && one > most ? one : most), chain)
  const end = whole ? nextSequence : highest
  const last = end - chain > numbersMax ? chain + numbersMax : end
  const gaps: Array<string> = []
  for (let number = chain; number < last; number++) if (!taken.has(number)) gaps.push(number.toString())
  return gaps
}

/** An open transaction of a wallet. */
export const transactionToWire = (one: OutboundTransaction): OperatorWalletDetail["transactions"][number] => ({
  transaction_id: one.id,
  purpose: one.purpose,
  phase: one.phase,
  sequence: sequenceOf(one)?.toString() ?? null,
  hashes: one.hashes,
  operations: operationsOf(one),
  problem: one.problem,
  reserved_at: toIso(one.reservedAt),
  last_sent_at: isoOrNull(one.lastSentAt)
})

/** The outputs of a wallet that are free, and those that its open transactions have reserved. */
export const utxosToWire = (
  currencies: CurrencyTable,
  { network }: PayoutWallet,
  free: ReadonlyArray<Utxo>,
  open: ReadonlyArray<OutboundTransaction>
): OperatorWalletDetail["utxos"] => {
  const native = currencies.byAsset(network, null)
  if (native === undefined) return []
  const shown = ({ txHash, units, vout }: Utxo, transactionId: string | null) => ({
    tx_hash: txHash,
    vout,
    amount: money(currencies, units, native.code),
    transaction_id: transactionId
  })
  return [
    ...free.map((utxo) => shown(utxo, null)),
    ...open.flatMap((transaction) => utxosHeld(transaction).map((utxo) => shown(utxo, transaction.id)))
  ]
}
