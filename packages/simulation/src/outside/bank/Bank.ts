import type { Amount } from "@bursar/core/money/Amount"
import type { FiatProvider, Sender, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import type { Random } from "../../kernel/Random.ts"
import { convertedUnits } from "../convertedUnits.ts"
import type { Faults } from "../Faults.ts"
import { type Hints, readHint } from "../Hints.ts"
import type { Market } from "../Market.ts"
import type { AskNode } from "../WorldNetwork.ts"
import { type Accounts, ibanOf, makeAccounts } from "./accounts.ts"
import { backBy, type Course, drawCourse, isDone, statesUntil } from "./Course.ts"

/** A bank as it truly is. */
export interface Bank {
  readonly holds: (currency: string) => bigint
  readonly endow: (currency: string, units: bigint) => void
  /** The transfers that it took, those that it will fail among them. Whoever orders twice stands here twice. */
  readonly taken: ReadonlyArray<Course>
  readonly accounts: Pick<Accounts, "all" | "customerOf" | "pay">
  /** How much of a transfer has come back by now. */
  readonly backOf: (course: Course) => bigint
  /** The bank as a process reaches it. */
  readonly reachedBy: (ask: AskNode) => FiatProvider["Service"]
}

/** How a bank differs from others. */
export interface BankOptions {
  readonly random: Random
  readonly faults: Faults
  readonly now: () => number
  readonly market: Market
  readonly hints: Hints
  readonly note: (what: string) => void
  readonly decimalsOf: (currency: string) => number
  /** Whether the receiver of an order was promised a least amount. */
  readonly isPromised: (reference: string) => boolean
}

/** After so long an order that did not come can come no more. */
const absentAfterMs = 90_000

/** Older intents are not sent any more. */
const intentMaxMs = 30_000

const senderOf = (reference: string): Sender => ({
  name: "a payer",
  iban: ibanOf(`sender of ${reference}`),
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null
})

/** What becomes of an order: it is carried out, is not taken, or never came and from a moment on never can. */
type Order =
  | { readonly _tag: "Taken"; readonly course: Course }
  | { readonly _tag: "Refused" }
  | { readonly _tag: "Absent"; readonly deniedFrom: number }

/** A bank that converts at the best rate that there ever was: no receiver gets less than was promised. */
export const makeBank = (options: BankOptions): Bank => {
  const { decimalsOf, faults, hints, isPromised, market, note, now, random } = options
  const endowed = new Map<string, bigint>()
  const orders = new Map<string, Order>()
  const taken: Array<Course> = []
  const tell = (about: string, inMs: number) => hints.tell("bank", { what: "account", about }, inMs)
  const accounts = makeAccounts({ faults, now, random, tell })

  const paidOut = ({ amount, toCurrency }: TransferOrder): Amount => {
    const currency = toCurrency ?? amount.currency
    if (currency === amount.currency) return amount
    const rate = market.bestRate(amount.currency, currency)
    return { currency, units: convertedUnits(amount, currency, { rate, decimalsOf }) }
  }

  const take = (order: TransferOrder): Order => {
    const { reference } = order
    if (faults.strikes("bank.refuses", order.kind)) return { _tag: "Refused" }
    const course = drawCourse({ faults, now: now(), random }, order, {
      isPromised: isPromised(reference),
      paidOut: paidOut(order),
      sender: senderOf(reference)
    })
    taken.push(course)
    note(`bank takes ${order.kind} ${reference} of ${order.amount.units} ${order.amount.currency}`)
    for (const at of [course.endsAt, ...course.returns.map((one) => one.at)])
      hints.tell("bank", { what: "transfer", about: reference }, at - now())
    return { _tag: "Taken", course }
  }

  /** What it says of a transfer: how it stands, or less than that, or how it stood. */
  const told = (course: Course): ProviderResult<TransferState> => {
    const states = statesUntil(course, now())
    const back = faults.strikes("bank.tells_earlier") ? random.below(states.length) : 0
    const state = states.at(-1 - back)
    if (state === undefined || faults.strikes("bank.unreadable", "transfer")) return unknown("503")
    if (faults.strikes("bank.tells_nothing")) return done({ ...state, status: "UNRESOLVED", reason: "ask us" })
    return done(faults.strikes("bank.tells_less") ? { ...state, received: null, returned: null, sender: null } : state)
  }

  const answer = (order: Order): ProviderResult<TransferState> => {
    switch (order._tag) {
      case "Taken":
        return told(order.course)
      case "Refused":
        return refused("the bank does not like it")
      case "Absent":
        return now() >= order.deniedFrom ? refused("there is no such order") : unknown("it cannot tell yet")
    }
  }

  const absent = (): Order => ({ _tag: "Absent", deniedFrom: now() + absentAfterMs })

  const send = (order: TransferOrder): ProviderResult<TransferState> => {
    const { reference, sentAt } = order
    const known = orders.get(reference)
    const isNew = known === undefined || known._tag === "Absent"
    if (isNew && now() - sentAt > intentMaxMs) return refused("the intent is too old")
    if (faults.strikes("bank.lost")) {
      if (known === undefined) orders.set(reference, absent())
      return unknown("no answer within 30 s")
    }
    const after = take(order)
    orders.set(reference, after)
    return faults.strikes("bank.unheard") ? unknown("no answer within 30 s") : answer(after)
  }

  const asked = (reference: string): ProviderResult<TransferState> => {
    const known = orders.get(reference) ?? absent()
    orders.set(reference, known)
    return answer(known)
  }

  const movedBy = (course: Course): Amount => {
    const { order, received } = course
    const back = backBy(course, now())
    if (!isDone(course, now())) return { ...order.amount, units: 0n }
    return order.kind === "ON_RAMP"
      ? { ...received, units: received.units - back }
      : { ...order.amount, units: back - order.amount.units }
  }

  const reachedBy: Bank["reachedBy"] = (ask) => {
    const slowly = <A>(what: string, call: () => A): Effect.Effect<A> =>
      ask(
        what,
        Effect.suspend(() =>
          faults.strikes("bank.late", what) ? Effect.delay(Effect.sync(call), random.below(25_000)) : Effect.sync(call)
        )
      )
    return {
      name: "bank",
      environment: "SANDBOX",
      register: ({ reference }) => slowly("register", () => accounts.register(reference)),
      openAccount: ({ currency, reference }) => slowly("openAccount", () => accounts.open(reference, currency)),
      account: (id) => ask("account", accounts.read(id)),
      incoming: (id, after) => ask("incoming", accounts.incoming(id, after)),
      send: (order) => slowly("send", () => send(order)),
      transfer: ({ reference }) => slowly("transfer", () => asked(reference)),
      readHint
    }
  }

  return {
    holds: (currency) => {
      const arrived = accounts.all().flatMap((one) => one.arrived.map(({ amount }) => amount))
      return [...taken.map(movedBy), ...arrived]
        .filter((one) => one.currency === currency)
        .reduce((sum, { units }) => sum + units, endowed.get(currency) ?? 0n)
    },
    endow: (currency, units) => void endowed.set(currency, (endowed.get(currency) ?? 0n) + units),
    taken,
    accounts,
    backOf: (course) => backBy(course, now()),
    reachedBy
  }
}
