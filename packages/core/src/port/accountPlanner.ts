import { BigInt as Big, Effect } from "effect"
import type { ChainError } from "./Chain.ts"
import type { ChainSender } from "./ChainSender.ts"
import type {
  CountedAccount,
  GuardPlan,
  OwnAccount,
  OwnAccounts,
  PayoutsPlan,
  PayoutsRequest,
  SweepPlan,
  SweepQuestion,
  TopUpQuestion,
  TransactionPlanner,
  WaitingPayment
} from "./TransactionPlanner.ts"

/** What differs between networks on which each address has a balance of its own and pays for its transactions itself. */
export interface AccountRules {
  readonly balance: ChainSender["balance"]
  readonly estimate: ChainSender["estimate"]
  /** What an account can spend of the native asset, in base units. Its balance where absent. */
  readonly spendable?: (account: string) => Effect.Effect<bigint, ChainError>
  /**
   * What payouts can be promised of, where `balance` does not show yet what newer blocks have taken: what is under way may count twice in it, and
   * never not at all. `balance` where absent.
   */
  readonly promisable?: ChainSender["balance"]
  /**
   * What the wallet is expected to pay the network for a payout, in base units of the native asset, which must be there beside it: while so many other
   * transactions use up what it may use without paying. `to` is null for the receiver with whom it is dearest; null is what cannot be told, or is
   * more than may be paid at all. The wallet pays no fees where absent, or where it lends no guard: whoever lends one pays.
   */
  readonly payoutFee?: (payout: Parameters<ChainSender["estimate"]>[0], beside: number) => Effect.Effect<bigint | null>
  /** The accounts whose replay guards payouts use, the first one first. */
  readonly lenders: (accounts: OwnAccounts) => ReadonlyArray<OwnAccount>
  /** How many transactions of one account the network lets be under way. */
  readonly underWayMax: number
  /** What the next transaction of an account uses up; null where there is no such account. */
  readonly guardOf: (account: CountedAccount) => Effect.Effect<GuardPlan | null, ChainError>
}

/**
 * The next sequence of an account. The chain is asked only while nothing of the account is under way: what waits for a block would make
 * its answer wrong.
 */
export const nextSequenceGuard =
  (firstSequence: ChainSender["firstSequence"]) =>
  ({ address: account, nextSequence, openTransactions }: CountedAccount): Effect.Effect<GuardPlan | null, ChainError> =>
    nextSequence !== null && openTransactions > 0
      ? Effect.succeed({ _tag: "Sequence", account, first: null })
      : Effect.map(firstSequence(account), (first) => (first === null ? null : { _tag: "Sequence", account, first }))

const freeOf = ({ openTransactions }: CountedAccount, most: number): number => Math.max(0, most - openTransactions)

const committedOf = ({ committed }: OwnAccount, asset: string | null): bigint =>
  committed.find(({ contract }) => contract === asset)?.units ?? 0n

/** A payment that the wallet covers, with what it is expected to cost. */
interface Covered {
  readonly payment: WaitingPayment
  readonly fee: bigint
}

/**
 * What a wallet with so many open transactions is expected to pay the network for one of some payments. Asked once for each asset, for the dearest of so many,
 * and for the very payment only where that is more than the wallet can `spare`. What cannot be told keeps nothing waiting: it shows when it is built.
 */
const feesOf = (
  payoutFee: AccountRules["payoutFee"],
  { address: from, openTransactions }: OwnAccount,
  count: number
) => {
  const dearest = new Map<string | null, bigint>()
  return Effect.fnUntraced(function* ({ contract, to, units }: WaitingPayment, spare: bigint, before: number) {
    if (payoutFee === undefined) return 0n
    const last = openTransactions + count - 1
    const most = dearest.get(contract) ?? (yield* payoutFee({ from, to: null, contract, units }, last)) ?? 0n
    dearest.set(contract, most)
    if (most <= spare) return most
    return (yield* payoutFee({ from, to, contract, units }, openTransactions + before)) ?? 0n
  })
}

/** The payments that the wallet covers with their fees beside all that is under way, first come first served, and why the others wait. */
const coveredPayments = Effect.fnUntraced(function* (
  rules: AccountRules,
  accounts: OwnAccounts,
  payments: ReadonlyArray<WaitingPayment>
) {
  const { wallet } = accounts
  const { balance, promisable = balance } = rules
  const payoutFee = rules.lenders(accounts).includes(wallet) ? rules.payoutFee : undefined
  const committed = new Map(wallet.committed.map(({ contract, units }) => [contract, units]))
  const balances = new Map<string | null, bigint>()
  const feeOf = feesOf(payoutFee, wallet, payments.length)
  const covered: Array<Covered> = []
  const waiting: Array<PayoutsPlan["waiting"][number]> = []
  /** What the wallet holds of an asset, and what of that is promised to nobody. */
  const look = Effect.fnUntraced(function* (contract: string | null) {
    const held = balances.get(contract) ?? (yield* promisable(wallet.address, contract))
    balances.set(contract, held)
    return { held, left: held - (committed.get(contract) ?? 0n) }
  })
  const promise = (contract: string | null, units: bigint) =>
    committed.set(contract, (committed.get(contract) ?? 0n) + units)
  for (const payment of payments) {
    const { contract, id, units } = payment
    const { held, left } = yield* look(contract)
    if (left < units) {
      const detail = `the wallet ${wallet.address} has ${left} units of ${contract ?? "the native asset"} left, ${units} are needed`
      // what is in a block already and was not looked up yet counts twice: in a moment there may be enough
      waiting.push({ id, reason: "insufficient_wallet", detail, retry: held >= units ? "soon" : "later" })
      continue
    }
    const paid = contract === null ? units : 0n
    const native = payoutFee === undefined ? { held: 0n, left: 0n } : yield* look(null)
    const fee = yield* feeOf(payment, native.left - paid, covered.length)
    // what costs nothing needs nothing, however much is promised
    if (fee > 0n && native.left - paid < fee) {
      const detail = `the wallet ${wallet.address} has ${native.left - paid} units of the native asset left for the network fee, ${fee} are needed`
      waiting.push({
        id,
        reason: "insufficient_wallet",
        detail,
        retry: native.held >= paid + fee ? "soon" : "later",
        lacksFee: true
      })
      continue
    }
    promise(contract, units)
    promise(null, fee)
    covered.push({ payment, fee })
  }
  return { covered, waiting }
})

const planPayouts = Effect.fnUntraced(function* (
  rules: AccountRules,
  { accounts, payments, underWayMax }: PayoutsRequest
) {
  const { covered, waiting } = yield* coveredPayments(rules, accounts, payments)
  const most = Math.min(underWayMax, rules.underWayMax)
  const transactions: Array<PayoutsPlan["transactions"][number]> = []
  let rest: ReadonlyArray<Covered> = covered
  for (const account of rules.lenders(accounts)) {
    const free = freeOf(account, most)
    const [now, later] = [rest.slice(0, free), rest.slice(free)]
    if (now.length === 0) continue
    rest = later
    const guard = yield* rules.guardOf(account)
    for (const {
      fee,
      payment: { id }
    } of now) {
      if (guard === null) {
        const detail = `the account ${account.address} does not exist`
        waiting.push({ id, reason: "insufficient_wallet", detail, retry: "later" })
      } else transactions.push({ ids: [id], guard, ...(fee > 0n && { fee }) })
    }
  }
  return { transactions, waiting } satisfies PayoutsPlan
})

/**
 * The account pays for its sweep. What it has of the native asset counts, and what is left of a top-up is there for the next sweep. Never
 * more is moved than the deposits: what else is there was reported to nobody.
 */
const planSweep = Effect.fnUntraced(function* (rules: AccountRules, question: SweepQuestion) {
  const { account, budgetPercent, contract, deposits, keeps, nextSequence, to, topUp } = question
  const waiting = deposits.reduce((sum, { units }) => sum + units, 0n)
  const { fee } = yield* rules.estimate({ from: account, to, contract, units: waiting })
  if (fee === null) return { _tag: "NotNow", reason: "cost_unknown" } satisfies SweepPlan
  const budget = (fee * BigInt(budgetPercent)) / 100n
  const has = yield* rules.spendable === undefined ? rules.balance(account, null) : rules.spendable(account)
  // what pays for moving the native asset is taken from what is confirmed of it: what else shows may be gone with the next block
  const units =
    contract === null
      ? Big.min(waiting, has - keeps) - budget
      : Big.min(waiting, yield* rules.balance(account, contract))
  if (contract !== null && has < (topUp === "given" ? fee : budget)) {
    return topUp === "given"
      ? ({ _tag: "NotNow", reason: "no_coin" } satisfies SweepPlan)
      : ({ _tag: "LacksNative", fee, lacks: budget - has } satisfies SweepPlan)
  }
  if (units <= 0n) return { _tag: "NotNow", reason: "below_threshold" } satisfies SweepPlan
  const guard = yield* rules.guardOf({ address: account, nextSequence, openTransactions: 0 })
  if (guard === null) return { _tag: "NotNow", reason: "no_coin" } satisfies SweepPlan
  return { _tag: "Sweep", from: account, deposits, units, fee, guard } satisfies SweepPlan
})

const planTopUp = Effect.fnUntraced(function* (rules: AccountRules, { accounts, to, units }: TopUpQuestion) {
  const { channels, wallet } = accounts
  const { fee } = yield* rules.estimate({ from: wallet.address, to, contract: null, units })
  const { balance, promisable = balance } = rules
  const left = (yield* promisable(wallet.address, null)) - committedOf(wallet, null)
  // the wallet's own guard first: channel accounts are for payouts
  const own = [wallet, ...channels].filter((one) => one === wallet || rules.lenders(accounts).includes(one))
  const lender = own.find((one) => freeOf(one, rules.underWayMax) > 0)
  return { fee, left, guard: lender === undefined ? null : yield* rules.guardOf(lender) }
})

/** A planner of a network on which each address has a balance of its own and pays for its transactions itself. */
export const accountPlanner = (rules: AccountRules): Omit<TransactionPlanner, "provisioner"> => ({
  room: (accounts, underWayMax) => {
    const most = Math.min(underWayMax, rules.underWayMax)
    return rules.lenders(accounts).reduce((sum, account) => sum + freeOf(account, most), 0)
  },
  payouts: (request) => planPayouts(rules, request),
  sweptTogether: (waiting) => [...Map.groupBy(waiting, ({ account }) => account).values()],
  sweep: (question) => planSweep(rules, question),
  topUp: (question) => planTopUp(rules, question)
})
