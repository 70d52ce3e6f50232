import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { NetworkTraits } from "../money/Network.ts"
import type { Payment, ReplayGuard } from "../port/ChainSender.ts"
import type { GuardPlan } from "../port/TransactionPlanner.ts"
import { guardKind } from "./guardKind.ts"
import { PayoutWallet } from "./PayoutWallet.ts"
import { utxoKey, WalletUtxo } from "./WalletUtxo.ts"
import { staleTransaction } from "./moveTransaction.ts"

/** What the rules must know of a network to check a plan. */
export type GuardTraits = Pick<NetworkTraits, "accountModel" | "name" | "underWayMax">

/** What an outbound transaction is to use up, with the wallet whose sequence that is. */
export type GuardRequest =
  /** The next sequence of an account, as `GuardPlan` has it. */
  | { readonly _tag: "Next"; readonly account: PayoutWallet; readonly first: bigint | null }
  | Exclude<GuardPlan, { readonly _tag: "Sequence" }>

/** The refusal of a plan that was never right, whatever has changed since: the adapter that made it is wrong. */
export const wrongPlan = (what: string): Refusal => new Refusal({ code: "plan_invalid", message: what })

/**
 * The sequence that comes next. It is never seeded from transactions that wait; while nothing is outstanding, sequences that the chain
 * has seen used by somebody else are passed over.
 */
const nextSequenceOf = ({ nextSequence, openTransactions }: PayoutWallet, first: bigint | null): bigint | null => {
  if (nextSequence !== null && openTransactions > 0) return nextSequence
  if (first === null) return null
  return nextSequence === null || first > nextSequence ? first : nextSequence
}

/** A plan that was checked, with what reserves it. */
export interface ReservedGuard {
  readonly guard: ReplayGuard
  /** The wallet whose sequence is used; null where none is. */
  readonly counterId: string | null
  /** What changes of that wallet. */
  readonly counter: Partial<PayoutWallet>
  readonly utxos: ReadonlyArray<Change>
}

/** A plan, and what it is for. */
export interface GuardCheck {
  readonly traits: GuardTraits
  readonly request: GuardRequest
  /** The wallet that pays. */
  readonly walletId: string
  readonly transactionId: string
  readonly payments: ReadonlyArray<Pick<Payment, "contract" | "units">>
}

/** What checking a plan reads. */
export const guardReads = (network: string, request: GuardRequest): ReadonlyArray<Read> => {
  if (request._tag === "Next") return [readRecord(PayoutWallet, request.account.id)]
  return request._tag === "Utxos" ? request.utxos.map((utxo) => readRecord(WalletUtxo, utxoKey(network, utxo))) : []
}

type Checked = Result.Result<ReservedGuard, Refusal>

const reserveSequence = (
  view: View,
  { traits, walletId }: GuardCheck,
  { account: read, first }: Extract<GuardRequest, { readonly _tag: "Next" }>
): Checked => {
  const account = view.get(PayoutWallet, read.id)
  if (account?.network !== traits.name) return Result.fail(wrongPlan("The account is no wallet on the network."))
  const lends = traits.accountModel === "sequence" && account.role === "CHANNEL"
  if (account.id !== walletId && !lends) {
    return Result.fail(wrongPlan(`The sequence of ${account.address} is not for payments of another wallet.`))
  }
  if (account.openTransactions >= traits.underWayMax) {
    return Result.fail(staleTransaction(`The sequence of ${account.address} is in use.`))
  }
  const sequence = nextSequenceOf(account, first)
  if (sequence === null) return Result.fail(staleTransaction("The account's next sequence is not known."))
  return Result.succeed({
    guard: { _tag: "Sequence", account: account.address, sequence },
    counterId: account.id,
    counter: { nextSequence: sequence + 1n },
    utxos: []
  })
}

const reserveUtxos = (
  view: View,
  { payments, traits: { name: network }, transactionId, walletId }: GuardCheck,
  plan: Extract<GuardRequest, { readonly _tag: "Utxos" }>
): Checked => {
  const keys = plan.utxos.map((utxo) => utxoKey(network, utxo))
  if (new Set(keys).size !== keys.length) return Result.fail(wrongPlan("A UTXO is named twice."))
  if (payments.some(({ contract }) => contract !== null)) {
    return Result.fail(wrongPlan("UTXOs pay the native asset alone."))
  }
  const utxos: Array<WalletUtxo> = []
  for (const key of keys) {
    const utxo = view.get(WalletUtxo, key)
    if (utxo === undefined) return Result.fail(wrongPlan(`The wallet has no UTXO ${key}.`))
    if (utxo.walletId !== walletId) return Result.fail(wrongPlan(`The UTXO ${key} is another wallet's.`))
    if (utxo.state !== "FREE") return Result.fail(staleTransaction(`The UTXO ${key} is not free any more.`))
    utxos.push(utxo)
  }
  const there = utxos.reduce((sum, { units }) => sum + units, 0n)
  const paid = payments.reduce((sum, { units }) => sum + units, 0n)
  if (plan.fee <= 0n || there < paid + plan.fee) {
    return Result.fail(wrongPlan(`UTXOs of ${there} units cannot pay ${paid} and a fee of ${plan.fee}.`))
  }
  return Result.succeed({
    // as they are recorded, whatever the plan says that they hold
    guard: {
      _tag: "Utxos",
      utxos: utxos.map(({ address, txHash, units, vout }) => ({ txHash, vout, units, address }))
    },
    counterId: null,
    counter: {},
    utxos: utxos.map((utxo) => putRecord(WalletUtxo, { ...utxo, state: "RESERVED", transactionId }))
  })
}

/**
 * Checks under the lock what an adapter has planned that a transaction of a wallet uses up, and reserves it.
 *
 * **Details**
 *
 * Nothing of a plan is believed that the records can tell. `stale` where it was right and is not any more: plan again. `plan_invalid`
 * where it cannot have been right: it is of another kind than the network's, names an account or a UTXO that is not there or is
 * another's, names a UTXO twice, or UTXOs that do not cover the payments and its own fee, or a payment is of nothing or less.
 */
export const reserveGuard = (view: View, check: GuardCheck): Checked => {
  const { payments, request, traits } = check
  const nothing = payments.find(({ units }) => units <= 0n)
  if (nothing !== undefined) return Result.fail(wrongPlan(`A payment of ${nothing.units} units pays nothing.`))
  const kind = request._tag === "Next" ? "Sequence" : request._tag
  if (kind !== guardKind(traits)) return Result.fail(wrongPlan(`${kind} does not protect payments on ${traits.name}.`))
  switch (request._tag) {
    case "Expiry":
      return Result.succeed({ guard: { _tag: "Expiry" }, counterId: null, counter: {}, utxos: [] })
    case "Next":
      return reserveSequence(view, check, request)
    case "Utxos":
      return reserveUtxos(view, check, request)
  }
}
