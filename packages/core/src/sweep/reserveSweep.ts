import { Result } from "effect"
import { schedule, unschedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Refusal } from "../engine/Refusal.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { staleSpend } from "../outbound/moveSpend.ts"
import type { PayoutWallet } from "../outbound/PayoutWallet.ts"
import { spendTopic } from "../outbound/sendTopic.ts"
import type { Spend } from "../outbound/Spend.ts"
import { tokenKind } from "../outbound/tokenKind.ts"
import type { Coin, Token } from "../port/ChainSender.ts"
import { movedSweep } from "./followSweeps.ts"
import { type Intake, intakeKey, isFree } from "./Intake.ts"
import type { Sweep } from "./Sweep.ts"
import { newSweepAccount, type SweepAccount, sweepAccountKey } from "./SweepAccount.ts"
import { openSweepTopic, sweepTopic } from "./sweepTopics.ts"
import { newSpend } from "../outbound/newSpend.ts"

/** What is to be moved from one address. */
export interface SweepWish {
  readonly addressId: string
  readonly address: string
  /** Who pays on the chain: the address, on stellar the account that it is a part of. */
  readonly account: string
  /** Of one currency; one at least. */
  readonly intakes: ReadonlyArray<Intake>
}

/** What is to be moved in one transaction. Several addresses only where a transaction can pay from them all (bitcoin, stellar). */
export interface ReserveSweep {
  /** The tenant's payout wallet, which gets it. */
  readonly wallet: PayoutWallet
  /** Who pays on the chain; on bitcoin the wallet, whose change there could be. */
  readonly from: string
  readonly wishes: ReadonlyArray<SweepWish>
  /** How much is paid: on bitcoin all the coins, of which the fee is taken; else so much that the fee is left. */
  readonly units: bigint
  /** What the chain says that the account's numbers go on with (`ChainSender.firstSequence`). */
  readonly first: bigint | null
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
  /** The keys of addresses that do not tell how they are spent (P2SH), in hexadecimal, by address. */
  readonly publicKeys?: ReadonlyMap<string, string>
  /** When to look at it again, whatever comes of its spend. */
  readonly lookAt: Timestamp
}

/** What came of it: a spend; or nothing, because addresses are held by now. */
export type ReservedSweep =
  | { readonly _tag: "Reserved"; readonly spend: Spend; readonly sweeps: ReadonlyArray<Sweep> }
  | { readonly _tag: "Held"; readonly addressIds: ReadonlyArray<string> }

/** What is read of the addresses and deposits of some wishes. */
export const wishReads = (wallet: PayoutWallet, wishes: ReadonlyArray<SweepWish>): ReadonlyArray<Read> => [
  readRecord("PayoutWallet", wallet.id),
  ...wishes.flatMap(({ account, addressId, intakes }): ReadonlyArray<Read> => [
    { _tag: "Address", id: addressId },
    readRecord("SweepAccount", sweepAccountKey(wallet.network, account)),
    ...intakes.map((intake) => readRecord("Intake", intakeKey(intake)))
  ])
]

/** Whether wishes can be granted: a reason why they were made from what is no more, or the addresses that are held. */
export const examine = (
  view: View,
  network: PayoutWallet["network"],
  wishes: ReadonlyArray<SweepWish>,
  sweepId: string | null
): Result.Result<{ readonly held: ReadonlyArray<string> }, Refusal> => {
  const currencies = new Set(wishes.flatMap(({ intakes }) => intakes.map(({ currency }) => currency)))
  if (currencies.size !== 1) return Result.fail(staleSpend("A sweep moves one currency."))
  const held: Array<string> = []
  for (const { account, addressId, intakes } of wishes) {
    const address = view.address(addressId)
    if (address === undefined) return Result.fail(staleSpend("There is no such address."))
    if (address.sweepHold !== null) held.push(addressId)
    const open = view.record("SweepAccount", sweepAccountKey(network, account))
    if (open !== undefined && (open.spendId !== null || open.sweepIds.some((id) => id !== sweepId))) {
      return Result.fail(staleSpend(`Something is being swept from ${account}.`))
    }
    for (const read of intakes) {
      const intake = view.record("Intake", intakeKey(read))
      const takes =
        intake !== undefined && (sweepId === null ? isFree(intake) : !intake.gone && intake.sweepId === sweepId)
      if (!takes || intake.addressId !== addressId || intake.units !== read.units) {
        return Result.fail(staleSpend(`Deposit ${read.depositId} is not there to be swept.`))
      }
    }
  }
  return Result.succeed({ held })
}

/** A sweep that begins. */
export const openedSweep = (
  view: View,
  network: PayoutWallet["network"],
  { account, address, addressId, intakes }: SweepWish,
  spends: Pick<Sweep, "sweepSpendId" | "topUpSpendId">
): Sweep => {
  const [first] = intakes
  if (first === undefined) throw new Error("a sweep has one deposit at least")
  return {
    id: view.newId(),
    network,
    addressId,
    address,
    account,
    key: first.key,
    currency: first.currency,
    contract: first.contract,
    units: intakes.reduce((sum, { units }) => sum + units, 0n),
    state: "ELIGIBLE",
    ...spends,
    deposits: intakes.map(({ depositId, transferIndex, txHash }) => ({ depositId, network, transferIndex, txHash })),
    problem: null,
    createdAt: view.now,
    endedAt: null,
    closedAt: null
  }
}

/** The deposits of a sweep are its own from now on, its address waits for nothing else, and it is looked at again. */
export const openChanges = (
  view: View,
  sweep: Sweep,
  { addressId, intakes }: SweepWish,
  lookAt: Timestamp
): ReadonlyArray<Change> => [
  putRecord("Sweep", sweep),
  ...intakes.flatMap((read): ReadonlyArray<Change> => {
    const intake = view.record("Intake", intakeKey(read))
    return intake === undefined ? [] : [putRecord("Intake", { ...intake, sweepId: sweep.id })]
  }),
  unschedule(sweepTopic(sweep.network), addressId),
  schedule(openSweepTopic(sweep.network), sweep.id, lookAt)
]

const coinsOf = (
  wishes: ReadonlyArray<SweepWish>,
  keys: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<Coin> =>
  wishes.flatMap(({ address, intakes }) =>
    intakes.map(({ transferIndex, txHash, units }) => {
      const publicKey = keys.get(address)
      return { txHash, vout: transferIndex, units, address, ...(publicKey === undefined ? {} : { publicKey }) }
    })
  )

/** The number of an account of which nothing is under way: what the chain says, or more where we have used more. */
const numberOf = ({ nextSequence }: SweepAccount, first: bigint): bigint =>
  nextSequence !== null && nextSequence > first ? nextSequence : first

const tokenOf = (command: ReserveSweep, account: SweepAccount): Token | null => {
  switch (tokenKind(command.wallet.network)) {
    case "Coins":
      return { _tag: "Coins", coins: coinsOf(command.wishes, command.publicKeys) }
    case "Expiry":
      return { _tag: "Expiry" }
    case "Sequence":
      return command.first === null
        ? null
        : { _tag: "Sequence", account: command.from, number: numberOf(account, command.first) }
  }
}

/** A sweep that was open already and is not to go on. */
const giveUp = (view: View, sweep: Sweep, problem: string): ReadonlyArray<Change> => [
  putRecord("Sweep", movedSweep(sweep, "given_up", { problem, endedAt: view.now })),
  schedule(openSweepTopic(sweep.network), sweep.id, view.now)
]

/**
 * Reserves the spend that moves confirmed deposits from addresses that nothing holds to the tenant's payout wallet, with what it
 * uses up: the account's own number, or the very coins. The deposits are in one sweep at most from then on. Addresses that are held
 * by now are taken off the agenda, and nothing is reserved. `stale` where something else is open on an account, or a deposit is not
 * there any more: look again.
 */
export const reserveSweep = (command: ReserveSweep): Command<ReservedSweep> => {
  const { confirmed, from, lookAt, units, wallet, wishes } = command
  const { network } = wallet
  return {
    name: "ReserveSweep",
    reads: [
      ...wishReads(wallet, wishes),
      readRecord("SweepAccount", sweepAccountKey(network, from)),
      ...(confirmed === null ? [] : [readRecord("Sweep", confirmed.id)])
    ],
    decide: (view) => {
      const found = examine(view, network, wishes, confirmed?.id ?? null)
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const { held } = found.success
      const open = confirmed === null ? undefined : view.record("Sweep", confirmed.id)
      if (confirmed !== null && (open?.state !== "TOPUP_CONFIRMED" || open.sweepSpendId !== null)) {
        return Result.fail(staleSpend("The sweep has moved on."))
      }
      if (held.length > 0) {
        const changes = [
          ...held.map((id) => unschedule(sweepTopic(network), id)),
          ...(open === undefined ? [] : giveUp(view, open, "Its address is held."))
        ]
        return Result.succeed({ changes, reply: { _tag: "Held", addressIds: held } as const })
      }
      if (view.record("PayoutWallet", wallet.id) === undefined)
        return Result.fail(staleSpend("The wallet is not there."))
      const payer = view.record("SweepAccount", sweepAccountKey(network, from)) ?? newSweepAccount(network, from)
      const token = tokenOf(command, payer)
      if (token === null) return Result.fail(staleSpend("The account's next number is not known."))
      const contract = wishes[0]?.intakes[0]?.contract ?? null
      const id = view.newId()
      const spend = newSpend(view, {
        id,
        network,
        purpose: "SWEEP",
        walletId: null,
        from,
        token,
        counterId: null,
        payments: [{ operationId: null, to: wallet.address, contract, units, memo: null }],
        agreesTo: [],
        drain: token._tag === "Coins",
        salt: payer.nextSalt
      })
      const spends = { topUpSpendId: open?.topUpSpendId ?? null, sweepSpendId: id }
      const sweeps = wishes.map((wish) => ({
        wish,
        sweep: open === undefined ? openedSweep(view, network, wish, spends) : { ...open, ...spends }
      }))
      const accounts = new Map<string, SweepAccount>()
      if (token._tag !== "Coins") accounts.set(from, { ...payer, spendId: id, nextSalt: payer.nextSalt + 1 })
      for (const { sweep } of sweeps) {
        const account =
          accounts.get(sweep.account) ??
          view.record("SweepAccount", sweepAccountKey(network, sweep.account)) ??
          newSweepAccount(network, sweep.account)
        accounts.set(sweep.account, { ...account, sweepIds: [...new Set([...account.sweepIds, sweep.id])] })
      }
      return Result.succeed({
        changes: [
          putRecord("Spend", spend),
          schedule(spendTopic(network), id, view.now),
          ...sweeps.flatMap(({ sweep, wish }) => openChanges(view, sweep, wish, lookAt)),
          ...[...accounts.values()].map((account) => putRecord("SweepAccount", account))
        ],
        reply: { _tag: "Reserved", spend, sweeps: sweeps.map(({ sweep }) => sweep) } as const
      })
    }
  }
}
