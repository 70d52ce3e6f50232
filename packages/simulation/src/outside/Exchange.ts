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
import { convertedUnits } from "./convertedUnits.ts"
import type { Faults } from "./Faults.ts"
import type { Market } from "./Market.ts"
import type { AskNode } from "./WorldNetwork.ts"

/** What the custodian truly did with an order. Each entry is once more value that moved. */
export interface CarriedOut {
  readonly reference: string
  readonly paid: Amount
  readonly received: Amount | null
  readonly address: string | null
  /** What it took beside, which the service bears; null for nothing. */
  readonly fee: Amount | null
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
  readonly settled: (entry: CarriedOut) => A
  readonly pending: A
  readonly failed: A
}

interface Order {
  readonly fate: Fate
  /** Until then it says that it is at it, or that it cannot tell. */
  readonly decidedAt: number
  /** What it did, where it did anything. */
  readonly entry: CarriedOut | null
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
  readonly market: Market
  /** Where it takes a fee of a conversion from: from what is received, beside what is sold, or nowhere. */
  readonly conversionFee: "NONE" | "RECEIVED" | "BESIDE"
}

/** After so long an order that did not come can come no more. */
const absentAfterMs = 90_000

/** Older intents are not sent any more. */
const intentMaxMs = 30_000

/** The share of a conversion that it keeps. */
const feeShare = { units: 1n, decimals: 3 }

const feeOn = (units: bigint): bigint => (units * feeShare.units + 999n) / 1_000n

/** An exchange that converts at the market's price of the moment. */
export const makeExchange = (options: ExchangeOptions): Exchange => {
  const { conversionFee, decimalsOf, faults, market, networkFee, networkFeeBorneBy, note, now, random } = options
  const holdings = new Map<string, bigint>()
  const orders = new Map<string, Order>()
  const carriedOut: Array<CarriedOut> = []
  const add = (currency: string, units: bigint): void =>
    void holdings.set(currency, (holdings.get(currency) ?? 0n) + units)

  const receivedFor = ({ amount, to }: ConvertOrder): Amount => {
    const units = convertedUnits(amount, to, { rate: market.rate(amount.currency, to), decimalsOf })
    return of(conversionFee === "RECEIVED" ? units - feeOn(units) : units, to)
  }

  const draw = (): Omit<Order, "entry"> => {
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
    const drawn = draw()
    const entry = drawn.fate === "settles" ? carry() : null
    const order: Order = { ...drawn, entry }
    orders.set(reference, order)
    if (entry !== null) {
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
    return done(order.entry === null ? failed : settled(order.entry))
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
      if (known === undefined)
        orders.set(reference, { fate: "never_came", decidedAt: now() + absentAfterMs, entry: null })
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
      orders.set(reference, { fate: "never_came", decidedAt: now() + absentAfterMs, entry: null })
      return unknown("it cannot tell yet")
    }
    return stateOf(order, states)
  }

  const conversion = (order: ConvertOrder) => {
    const providerReference = `c-${order.reference}`
    const { currency, units } = order.amount
    const beside = conversionFee === "BESIDE" ? of(feeOn(units), currency) : null
    return {
      carry: (): CarriedOut => ({
        reference: order.reference,
        paid: order.amount,
        received: receivedFor(order),
        address: null,
        fee: beside,
        at: now()
      }),
      move: ({ fee, received }: CarriedOut) => {
        add(currency, -units - (fee?.units ?? 0n))
        if (received !== null) add(received.currency, received.units)
      },
      states: {
        settled: ({ received }: CarriedOut): ConversionState => ({
          _tag: "Settled",
          providerReference,
          received: received ?? of(0n, order.to),
          ...(beside !== null && { feesBeside: [beside] })
        }),
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
        fee: networkFeeBorneBy === "SERVICE" ? of(networkFee, currency) : null,
        at: now()
      }),
      move: ({ fee }: CarriedOut) => add(currency, -(order.amount.units + (fee?.units ?? 0n))),
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
      conversionFee: () => Effect.succeed(conversionFee === "RECEIVED" ? feeShare : { units: 0n, decimals: 0 }),
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
