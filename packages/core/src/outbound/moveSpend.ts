import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { reserveAssets } from "../operation/reserveAssets.ts"
import { followSweeps, sweepReads } from "../sweep/followSweeps.ts"
import { addUnits, type PayoutWallet } from "./PayoutWallet.ts"
import { operationsOf, type Spend, taken } from "./Spend.ts"
import { isPending, spendMachine, type SpendTrigger } from "./SpendMachine.ts"

/** The refusal of a command about a spend that has moved on since it was read: read it again. */
export const staleSpend = (what: string): Refusal => new Refusal({ code: "stale", message: what })

const walletsOf = ({ counterId, walletId }: Pick<Spend, "counterId" | "walletId">): ReadonlyArray<string> => [
  ...new Set([walletId, counterId].filter((id) => id !== null))
]

const placeOf = ({ network }: Pick<Spend, "network">): AssetAccount => `chain:${network}:payouts`

/** What moving a spend reads: itself, the wallets that it takes from, what was signed for it, its sweeps, the payouts that it pays and what is reserved of the wallet's coins. */
export const spendReads = (spend: Spend): ReadonlyArray<Read> => [
  readRecord("Spend", spend.id),
  readGroup("AssetReservation", placeOf(spend)),
  readGroup("SentTransaction", spend.id),
  ...sweepReads(spend),
  ...walletsOf(spend).map((id) => readRecord("PayoutWallet", id)),
  ...operationsOf(spend).flatMap((id): ReadonlyArray<Read> => [readRecord("Payout", id), { _tag: "Operation", id }])
]

const committedBy = (spend: Spend | null) => (spend !== null && isPending(spend.phase) ? taken(spend) : [])

/**
 * What an open spend takes from the wallet in the books once it is done. Its network fee is known only then, and what moves between
 * places of the service is not owed to anybody: neither is reserved.
 */
const reservedBy = (view: View, spend: Spend | null): ReadonlyArray<Amount> =>
  spend === null || spend.phase === "FINAL"
    ? []
    : operationsOf(spend).flatMap((id) => {
        const payout = view.record("Payout", id)
        return payout === undefined ? [] : [{ currency: payout.currency, units: payout.units }]
      })

const isOpen = (spend: Spend | null): number => (spend !== null && spend.phase !== "FINAL" ? 1 : 0)

/** The wallets of a spend after it has changed. */
const walletChanges = (
  view: View,
  before: Spend | null,
  after: Spend,
  counter: Partial<PayoutWallet>
): ReadonlyArray<Change> =>
  walletsOf(after).flatMap((id) => {
    const wallet = view.record("PayoutWallet", id)
    if (wallet === undefined) return []
    const pays = after.walletId === id
    const committed = pays
      ? addUnits(addUnits(wallet.committed, committedBy(before), -1n), committedBy(after))
      : wallet.committed
    const openSpends = wallet.openSpends + isOpen(after) - isOpen(before)
    return [putRecord("PayoutWallet", { ...wallet, committed, openSpends, ...(after.counterId === id ? counter : {}) })]
  })

/** Puts a spend and what its change means for its wallets, its sweeps and what is reserved. The phase stays; `counter` is what else changes of the account that gave the number. */
export const putSpend = (
  view: View,
  before: Spend | null,
  after: Spend,
  counter: Partial<PayoutWallet> = {}
): ReadonlyArray<Change> => [
  putRecord("Spend", after),
  ...walletChanges(view, before, after, counter),
  ...reserveAssets(view, placeOf(after), [
    ...reservedBy(view, before).map(({ currency, units }) => ({ currency, units: -units })),
    ...reservedBy(view, after)
  ]),
  ...followSweeps(view, before, after)
]

/** Whether a trigger moves a spend from where it stands. */
export const canMoveSpend = ({ phase }: Spend, trigger: SpendTrigger): boolean =>
  moveOf(spendMachine, phase, trigger) !== undefined

/** A spend after a trigger, with its changes. A phase that has no such move is a bug of the caller and throws. */
export const moveSpend = (
  view: View,
  before: Spend,
  trigger: SpendTrigger,
  patch: Partial<Omit<Spend, "id" | "phase">> = {},
  counter: Partial<PayoutWallet> = {}
): { readonly spend: Spend; readonly changes: ReadonlyArray<Change> } => {
  const move = moveOf(spendMachine, before.phase, trigger)
  if (move === undefined) throw new Error(`a spend that is ${before.phase} cannot be ${trigger}`)
  const spend: Spend = { ...before, ...patch, phase: move.to }
  return { spend, changes: putSpend(view, before, spend, counter) }
}

/** The payouts of a spend that are in it, brought to its phase; `patch` is what else changes of each. */
export const followSpend = (view: View, spend: Spend): ReadonlyArray<Change> =>
  operationsOf(spend).flatMap((id) => {
    const payout = view.record("Payout", id)
    return payout === undefined || payout.spendId !== spend.id || payout.phase === spend.phase
      ? []
      : [putRecord("Payout", { ...payout, phase: spend.phase })]
  })
