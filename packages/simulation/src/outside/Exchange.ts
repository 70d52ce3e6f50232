import { type Amount, of } from "@bursar/core/money/Amount"
import type {
  ConversionState,
  ConvertOrder,
  Custodian,
  WithdrawalState,
  WithdrawOrder
} from "@bursar/core/port/Custodian"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "./Faults.ts"
import type { AskNode } from "./networkOver.ts"

/** What the custodian truly did with an order. Each entry is once more value that moved. */
export interface CarriedOut {
  readonly reference: string
  readonly paid: Amount
  readonly received: Amount | null
  readonly address: string | null
  readonly at: number
}

/** A custodian as it truly is. */
export interface Exchange {
  readonly holds: (currency: string) => bigint
  readonly endow: (currency: string, units: bigint) => void
  readonly carriedOut: ReadonlyArray<CarriedOut>
  /** The custodian as a process reaches it. */
  readonly reachedBy: (ask: AskNode) => Custodian["Service"]
}

type Fate = "settles" | "fails" | "refused" | "never_came"

/** What it says of an order. */
interface States<A> {
  readonly settled: () => A
  readonly pending: A
  readonly failed: A
}

interface Order {
  readonly fate: Fate
  /** Until then it says that it is at it, or that it cannot tell. */
  readonly decidedAt: number
}

/** How an exchange differs from others. */
export interface ExchangeOptions {
  readonly random: Random
  readonly faults: Faults
  readonly now: () => number
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
  readonly networkFee: bigint
  readonly note: (what: string) => void
  readonly decimalsOf: (currency: string) => number
}

/** After so long an order that did not come can come no more. */
const absentAfterMs = 90_000

/** Older intents are not sent any more. */
const intentMaxMs = 30_000

/** An exchange that gives the same number of whole units of everything. */
export const makeExchange = (options: ExchangeOptions): Exchange => {
  const { decimalsOf, faults, networkFee, networkFeeBorneBy, note, now, random } = options
  const holdings = new Map<string, bigint>()
  const orders = new Map<string, Order>()
  const carriedOut: Array<CarriedOut> = []
  const add = (currency: string, units: bigint): void =>
    void holdings.set(currency, (holdings.get(currency) ?? 0n) + units)

  const convertedUnits = ({ amount, to }: ConvertOrder): bigint => {
    const difference = decimalsOf(to) - decimalsOf(amount.currency)
    return difference >= 0 ? amount.units * 10n ** BigInt(difference) : amount.units / 10n ** BigInt(-difference)
  }

  const draw = (): Order => {
    const pending = faults.strikes("custodian.pending") ? 1_000 + random.below(60_000) : 0
    const fate = faults.strikes("custodian.refuses")
      ? "refused"
      : faults.strikes("custodian.fails")
        ? "fails"
        : "settles"
    return { fate, decidedAt: now() + pending }
  }

  /** Carries an order out once its time has come. Whoever orders twice is served twice. */
  const come = (reference: string, carry: () => CarriedOut, move: (done: CarriedOut) => void): Order => {
    const order = draw()
    orders.set(reference, order)
    if (order.fate === "settles") {
      const entry = carry()
      carriedOut.push(entry)
      move(entry)
      note(`custodian carries out ${entry.paid.units} ${entry.paid.currency}`)
    }
    return order
  }

  const stateOf = <A>(order: Order, { failed, pending, settled }: States<A>): ProviderResult<A> => {
    if (order.fate === "refused") return refused("the custodian does not like it")
    if (order.fate === "never_came")
      return now() >= order.decidedAt ? refused("there is no such order") : unknown("it cannot tell yet")
    if (now() < order.decidedAt) return done(pending)
    return done(order.fate === "fails" ? failed : settled())
  }

  const ordering = <A>(
    { reference, sentAt }: { readonly reference: string; readonly sentAt: number },
    carry: () => CarriedOut,
    move: (entry: CarriedOut) => void,
    states: States<A>
  ): ProviderResult<A> => {
    const known = orders.get(reference)
    const absent = known === undefined || known.fate === "never_came"
    if (absent && now() - sentAt > intentMaxMs) return refused("the intent is too old")
    if (faults.strikes("custodian.lost")) {
      if (known === undefined) orders.set(reference, { fate: "never_came", decidedAt: now() + absentAfterMs })
      return unknown("no answer within 30 s")
    }
    const order = come(reference, carry, move)
    if (faults.strikes("custodian.unheard")) return unknown("no answer within 30 s")
    return stateOf(order, states)
  }

  const asking = <A>(reference: string, states: States<A>): ProviderResult<A> => {
    if (faults.strikes("custodian.unreadable")) return unknown("503")
    const order = orders.get(reference)
    if (order === undefined) {
      // from now on it is known that it did not come; until nothing can be in flight any more nothing is said
      orders.set(reference, { fate: "never_came", decidedAt: now() + absentAfterMs })
      return unknown("it cannot tell yet")
    }
    return stateOf(order, states)
  }

  const conversion = (order: ConvertOrder) => {
    const providerReference = `c-${order.reference}`
    const received = () => of(convertedUnits(order), order.to)
    return {
      carry: (): CarriedOut => ({
        reference: order.reference,
        paid: order.amount,
        received: received(),
        address: null,
        at: now()
      }),
      move: () => {
        add(order.amount.currency, -order.amount.units)
        add(order.to, received().units)
      },
      states: {
        settled: (): ConversionState => ({ _tag: "Settled", providerReference, received: received() }),
        pending: { _tag: "Pending", providerReference } as ConversionState,
        failed: { _tag: "Failed", providerReference, reason: "rejected" } as ConversionState
      }
    }
  }

  const withdrawal = (order: WithdrawOrder) => {
    const providerReference = `w-${order.reference}`
    const txHash = `0x${order.reference.replaceAll("-", "").padEnd(64, "0")}`
    const { currency } = order.amount
    return {
      carry: (): CarriedOut => ({
        reference: order.reference,
        paid: order.amount,
        received: null,
        address: order.address,
        at: now()
      }),
      move: () => add(currency, -(order.amount.units + (networkFeeBorneBy === "SERVICE" ? networkFee : 0n))),
      states: {
        settled: (): WithdrawalState => ({
          _tag: "Settled",
          providerReference,
          txHash,
          networkFee: of(networkFee, currency)
        }),
        pending: { _tag: "Pending", providerReference, txHash: null } as WithdrawalState,
        failed: { _tag: "Failed", providerReference, reason: "rejected" } as WithdrawalState
      }
    }
  }

  const reachedBy: Exchange["reachedBy"] = (ask) => {
    /** It arrives late: whoever asked has stopped waiting by then. */
    const slowly = <A>(what: string, answer: () => ProviderResult<A>): Effect.Effect<ProviderResult<A>> =>
      ask(
        what,
        Effect.suspend(() => {
          if (!faults.strikes("custodian.late", what)) return Effect.sync(answer)
          const late = random.below(25_000)
          return Effect.delay(Effect.sync(answer), late)
        })
      )
    return {
      name: "exchange",
      environment: "SANDBOX",
      assets: Effect.succeed([]),
      pairs: Effect.succeed([
        { from: "USDT_ETH", to: "USDC_ETH", minimum: null, step: null },
        { from: "USDC_ETH", to: "USDT_ETH", minimum: null, step: null }
      ]),
      balances: Effect.sync(() => new Map(holdings)),
      networkFeeBorneBy,
      withdrawalFee: (currency) => Effect.succeed(of(networkFee, currency)),
      conversionFee: () => Effect.succeed({ units: 0n, decimals: 0 }),
      convert: (order) => {
        const { carry, move, states } = conversion(order)
        return slowly("convert", () => ordering(order, carry, move, states))
      },
      conversion: (order) => slowly("conversion", () => asking(order.reference, conversion(order).states)),
      withdraw: (order) => {
        const { carry, move, states } = withdrawal(order)
        return slowly("withdraw", () => ordering(order, carry, move, states))
      },
      withdrawal: (order) => slowly("withdrawal", () => asking(order.reference, withdrawal(order).states))
    }
  }

  return {
    holds: (currency) => holdings.get(currency) ?? 0n,
    endow: add,
    carriedOut,
    reachedBy
  }
}
