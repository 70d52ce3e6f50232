import { schedule, unschedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { endReads } from "../payout/endPayout.ts"
import type { Outpoint } from "../port/ChainSender.ts"
import { moveSpend, putSpend } from "./moveSpend.ts"
import type { PayoutWallet } from "./PayoutWallet.ts"
import { spendTopic } from "./sendTopic.ts"
import { coinsHeld, type Spend, type SpendOutcome } from "./Spend.ts"
import { coinKey, type WalletCoin } from "./WalletCoin.ts"

/** What ending a spend reads, beside what moving it does: the coins, and what its payouts hold. */
export const endSpendReads = (spend: Spend, currencies: CurrencyTable): ReadonlyArray<Read> => {
  const { network } = spend
  const codes = [null, ...spend.payments.map(({ contract }) => contract)].flatMap(
    (contract) => currencies.byAsset(network, contract)?.code ?? []
  )
  return [
    ...coinsOf(spend).map((key) => readRecord("WalletCoin", key)),
    ...[...new Set(codes)].flatMap((currency): ReadonlyArray<Read> => [
      { _tag: "Balance", account: "network_fees", currency },
      ...placeReads(`chain:${network}:payouts`, currency),
      ...placeReads(`chain:${network}:deposits`, currency)
    ]),
    ...spend.payments.flatMap(({ contract, memo, operationId, to }) => {
      const currency = currencies.byAsset(network, contract)?.code
      return operationId === null || currency === undefined ? [] : endReads({ currency, memo, network, to })
    })
  ]
}

const coinsOf = ({ network, token }: Spend): ReadonlyArray<string> =>
  token._tag === "Coins" ? token.coins.map((coin) => coinKey(network, coin)) : []

const putCoins = (view: View, spend: Spend, stateOf: (key: string) => WalletCoin["state"]): ReadonlyArray<Change> =>
  coinsOf(spend).flatMap((key) => {
    const coin = view.record("WalletCoin", key)
    if (coin === undefined) return []
    const state = stateOf(key)
    // a coin whose block is gone keeps its place: it comes back, if it does, as what it is by then
    const next = coin.state === "GONE" ? coin.state : state
    return [putRecord("WalletCoin", { ...coin, state: next, spendId: state === "FREE" ? null : spend.id })]
  })

/**
 * What becomes of a number that was not used after all: where it was the last that the account gave, it is given again; where
 * others came after it, the spend goes on as one that does nothing but use it up, or they would wait for ever.
 */
const unusedNumber = (view: View, { counterId, token }: Spend): { readonly counter: Partial<PayoutWallet> } | "gap" => {
  if (token._tag !== "Sequence" || counterId === null) return { counter: {} }
  const account = view.record("PayoutWallet", counterId)
  if (account?.nextSequence === token.number + 1n) return { counter: { nextSequence: token.number } }
  return "gap"
}

/** Ends a spend by what became of a transaction of its own: its token is used up. */
export const endSpend = (
  view: View,
  spend: Spend,
  outcome: Extract<SpendOutcome, "done" | "reverted">,
  patch: Partial<Omit<Spend, "id" | "phase">> = {}
): ReadonlyArray<Change> => [
  ...moveSpend(view, spend, "concluded", { ...patch, outcome, asked: null, problem: null, endedAt: view.now }).changes,
  ...putCoins(view, spend, () => "SPENT"),
  unschedule(spendTopic(spend.network), spend.id)
]

/**
 * Ends a spend whose token somebody else has used up. Of coins a part may be left: those that the chain still has `unspent` are free
 * again. Nothing of ours can take them any more, as each transaction that was signed for the spend also spends a coin that a final
 * foreign one has spent. Of the others it is not known that they are there, so they stay spent.
 *
 * The books are left as they are: what the foreign transaction took has gone for nothing that they know of, and shows as a difference
 * between them and the chain.
 */
export const replacedSpend = (view: View, spend: Spend, unspent: ReadonlyArray<Outpoint>): ReadonlyArray<Change> => {
  const left = new Set(unspent.map((coin) => coinKey(spend.network, coin)))
  const isLeft = (coin: Outpoint) => left.has(coinKey(spend.network, coin))
  const freed = coinsHeld(spend)
    .filter(isLeft)
    .map(({ txHash, vout }) => ({ txHash, vout }))
  const ended = { outcome: "replaced", freed, asked: null, problem: null, endedAt: view.now } as const
  return [
    ...moveSpend(view, spend, "concluded", ended).changes,
    ...putCoins(view, spend, (key) => (left.has(key) ? "FREE" : "SPENT")),
    unschedule(spendTopic(spend.network), spend.id)
  ]
}

/** Ends a spend that has used up nothing: it was never signed (`released`), or it is proven that it cannot be included (`expired`). */
export const unusedSpend = (view: View, spend: Spend, outcome: "released" | "expired"): ReadonlyArray<Change> => {
  const trigger = outcome === "released" ? "released" : "concluded"
  const unused = unusedNumber(view, spend)
  if (unused !== "gap") {
    const ended = { outcome, asked: null, problem: null, endedAt: view.now }
    return [
      ...moveSpend(view, spend, trigger, ended, unused.counter).changes,
      ...putCoins(view, spend, () => "FREE"),
      unschedule(spendTopic(spend.network), spend.id)
    ]
  }
  return fillGap(view, spend, outcome)
}

/** The number of a spend is used up by a transaction that does nothing else. */
const fillGap = (view: View, spend: Spend, outcome: "released" | "expired"): ReadonlyArray<Change> => {
  const again = (id: string) => schedule(spendTopic(spend.network), id, view.now)
  const nothing = {
    purpose: "CANCEL",
    payments: [],
    agreesTo: [],
    cancelled: [],
    drain: false,
    asked: null,
    problem: null
  } as const
  if (outcome === "released") {
    const filler: Spend = { ...spend, ...nothing }
    return [...putSpend(view, spend, filler), again(spend.id)]
  }
  // what was signed stays with its spend: the number goes over to a new one
  const filler: Spend = {
    ...spend,
    ...nothing,
    id: view.newId(),
    phase: "RESERVED",
    hashes: [],
    feeMax: 0n,
    reservedAt: view.now,
    signedAt: null,
    sentAt: null,
    asked: null,
    lastSentAt: null,
    blockNumber: null
  }
  const ended = moveSpend(view, spend, "concluded", { outcome, asked: null, problem: null, endedAt: view.now })
  return [
    // the account keeps as many open spends as before: the one ends as the other begins
    ...ended.changes.filter((change) => change._tag !== "RecordPut" || change.kind !== "PayoutWallet"),
    ...putSpend(view, spend, filler),
    unschedule(spendTopic(spend.network), spend.id),
    again(filler.id)
  ]
}
