import { BigInt as Big } from "effect"
import type { Deposit } from "../deposit/Deposit.ts"
import type { WalletTransfer } from "../deposit/WalletTransfer.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Network } from "../money/Network.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { type Cause, exactly, inFlightOf, matters, type Movement, type Range } from "./Movement.ts"
import { depositAddresses, payoutWallets } from "./Place.ts"

/** A deposit on an address whose key the service holds, with whether it is in the books. */
export interface KnownDeposit {
  readonly deposit: Deposit
  readonly isBooked: boolean
}

/** Something that came to a wallet or an account from outside, with whether it is in the books. */
export interface KnownTransfer {
  readonly transfer: WalletTransfer
  readonly isBooked: boolean
}

/** An outbound transaction that may be on the chain. */
export interface KnownTransaction {
  readonly transaction: OutboundTransaction
  readonly tenantId: TenantId
}

/** Up to which block it was read what an address holds; undefined where it was not read, and so nothing is shown of it. */
export type HeightOf = (address: string) => number | undefined

const nothing = exactly(0n)

/** What a block did to an address is shown once the block was read. */
const shownBy = (height: number | undefined, block: number | null, units: bigint): Range =>
  block !== null && height !== undefined && block <= height ? exactly(units) : nothing

const depositMovement = ({ deposit, isBooked }: KnownDeposit, heightOf: HeightOf): Movement => {
  const { address, block, currency, detectedAt, id, network, tenantId, units } = deposit
  return {
    place: depositAddresses(network).name,
    currency,
    inFlight: inFlightOf({
      booked: isBooked ? exactly(units) : nothing,
      shown: shownBy(heightOf(address), block?.number ?? null, units)
    }),
    cause: { kind: "deposit", id, tenantId, at: detectedAt }
  }
}

const transferMovement = ({ isBooked, transfer }: KnownTransfer, heightOf: HeightOf): Movement => {
  const { address, block, currency, detectedAt, network, place, tenantId, txHash, units } = transfer
  return {
    place: (place === "WALLET" ? payoutWallets : depositAddresses)(network).name,
    currency,
    inFlight: inFlightOf({
      booked: isBooked ? exactly(units) : nothing,
      shown: shownBy(heightOf(address), block.number, units)
    }),
    cause: { kind: "wallet_transfer", id: txHash, tenantId, at: detectedAt }
  }
}

/** What a transaction does to a place when it succeeds (`whenDone`), or whatever becomes of it (`always`). */
interface Effect {
  readonly place: string
  readonly address: string
  readonly contract: string | null
  readonly units: Range
  readonly when: "done" | "always"
}

/** The address by whose height it is known whether a transaction is shown: coins are spent at their own addresses. */
const payerOf = ({ from, guard }: OutboundTransaction): string =>
  guard._tag === "Utxos" ? (guard.utxos[0]?.address ?? from) : from

const minusRange = ({ least, most }: Range): Range => ({ least: -most, most: -least })

const feeRange = ({ fee, feeMax }: OutboundTransaction): Range =>
  fee === null ? { least: 0n, most: feeMax } : exactly(fee)

/** What coins are drained of is all that they hold less the fee, which is taken from the same coins. */
const paidRange = (transaction: OutboundTransaction, units: bigint): Range => {
  if (!transaction.drain || transaction.guard._tag !== "Utxos") return exactly(units)
  const fee = feeRange(transaction)
  return { least: units - fee.most, most: units - fee.least }
}

const effectsOf = (transaction: OutboundTransaction): ReadonlyArray<Effect> => {
  const { cancelled, network, payments, purpose } = transaction
  const [wallets, addresses] = [payoutWallets(network).name, depositAddresses(network).name]
  const [from, to] =
    purpose === "SWEEP"
      ? [addresses, wallets]
      : purpose === "TOP_UP"
        ? [wallets, addresses]
        : [wallets, purpose === "CHANNEL" ? wallets : null]
  const payer = payerOf(transaction)
  return [
    {
      place: from,
      address: payer,
      contract: null,
      units: minusRange(feeRange(transaction)),
      when: "always"
    },
    ...payments.flatMap(({ contract, operationId, to: receiver, units }): ReadonlyArray<Effect> => {
      const paid = paidRange(transaction, units)
      // which of its attempts has won says whether it pays what was cancelled meanwhile
      const certain = operationId === null || !cancelled.includes(operationId)
      const moved: Range = certain ? paid : { least: 0n, most: paid.most }
      const one = { contract, when: "done" } as const
      return [
        { ...one, place: from, address: payer, units: minusRange(moved) },
        ...(to === null ? [] : [{ ...one, place: to, address: receiver, units: moved }])
      ]
    })
  ]
}

const uncertain = ({ least, most }: Range): Range => ({
  least: Big.min(least, 0n),
  most: Big.max(most, 0n)
})

/** What of an effect is in flight. What is final is booked; what is not may be in a block, unless it is known in which. */
const effectInFlight = (
  { outcome, phase, blockNumber }: OutboundTransaction,
  { address, units, when }: Effect,
  heightOf: HeightOf
): Range => {
  const height = heightOf(address)
  const isFinal = phase === "FINAL"
  const took = outcome === "done" || (outcome === "reverted" && when === "always")
  const certain = units.least === units.most
  if (isFinal) {
    if (!took || (height !== undefined && blockNumber !== null && blockNumber <= height)) return nothing
    return certain ? units : uncertain(units)
  }
  if (phase === "RESERVED" || height === undefined) return nothing
  if (phase === "INCLUDED" && blockNumber !== null && blockNumber > height) return nothing
  return uncertain(minusRange(units))
}

const transactionMovements = (
  { tenantId, transaction }: KnownTransaction,
  currencies: CurrencyTable,
  heightOf: HeightOf
): ReadonlyArray<Movement> => {
  const cause: Cause = { kind: "transaction", id: transaction.id, tenantId, at: transaction.reservedAt }
  return effectsOf(transaction).flatMap((effect): ReadonlyArray<Movement> => {
    const currency = currencies.byAsset(transaction.network, effect.contract)?.code
    if (currency === undefined) return []
    return [{ place: effect.place, currency, inFlight: effectInFlight(transaction, effect, heightOf), cause }]
  })
}

/** What the service knows of a network beyond what is in the books and on the chain alike. */
export interface ChainState {
  readonly network: Network
  readonly deposits: ReadonlyArray<KnownDeposit>
  readonly transfers: ReadonlyArray<KnownTransfer>
  readonly transactions: ReadonlyArray<KnownTransaction>
}

/**
 * What is in flight on a network, given up to which block each address was read. What is in a block that was read is on the chain, what is
 * booked is in the books, and each counts for what it is in one and not in the other.
 */
export const chainMovements = (
  { deposits, transactions, transfers }: Omit<ChainState, "network">,
  currencies: CurrencyTable,
  heightOf: HeightOf
): ReadonlyArray<Movement> =>
  [
    ...deposits.map((one) => depositMovement(one, heightOf)),
    ...transfers.map((one) => transferMovement(one, heightOf)),
    ...transactions.flatMap((one) => transactionMovements(one, currencies, heightOf))
  ].filter(matters)
