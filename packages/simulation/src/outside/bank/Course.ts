import type { Amount } from "@bursar/core/money/Amount"
import type { Sender, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import type { Random } from "../../kernel/Random.ts"
import type { Faults } from "../Faults.ts"

/** A part of a transfer that comes back, or all of it: so much in all by then. */
interface Return {
  readonly at: number
  readonly units: bigint
}

/** A transfer that the bank carries out, and what becomes of it: decided when it is taken. */
export interface Course {
  readonly order: TransferOrder
  readonly providerReference: string
  readonly fails: boolean
  readonly sentAt: number
  /** When it is over but for what comes back. */
  readonly endsAt: number
  /** What the receiver gets; for money that comes in, what arrives. */
  readonly received: Amount
  readonly returns: ReadonlyArray<Return>
  /** Until then the bank tells too little of what it paid out. */
  readonly shortUntil: number
  /** Whose money came in. */
  readonly sender: Sender | null
}

const returnsOf = (random: Random, endsAt: number, units: bigint): ReadonlyArray<Return> => {
  const first = endsAt + 500 + random.below(40_000)
  if (random.chance(500)) return [{ at: first, units }]
  const part = 1n + (units * BigInt(random.below(1_000))) / 1_001n
  return random.chance(500)
    ? [{ at: first, units: part }]
    : [
        { at: first, units: part },
        { at: first + 10_000, units }
      ]
}

/** What arrives for money that is to come in: what was announced, or something else. */
const arriving = (random: Random, faults: Faults, { amount }: TransferOrder): Amount => {
  if (faults.strikes("bank.other_currency")) return { ...amount, currency: amount.currency === "EUR" ? "USD" : "EUR" }
  if (!faults.strikes("bank.other_amount")) return amount
  return { ...amount, units: (amount.units * BigInt(500 + random.below(1_000))) / 1_000n }
}

/** Draws what becomes of a transfer. `isPromised` says that the receiver was promised a least amount. */
export const drawCourse = (
  { faults, now, random }: { readonly faults: Faults; readonly now: number; readonly random: Random },
  order: TransferOrder,
  { isPromised, paidOut, sender }: { readonly isPromised: boolean; readonly paidOut: Amount; readonly sender: Sender }
): Course => {
  const incoming = order.kind === "ON_RAMP"
  const takes = 200 + (faults.strikes("bank.pending") ? random.below(45_000) : random.below(3_000))
  const endsAt = now + takes
  const received = incoming ? arriving(random, faults, order) : paidOut
  const astray = received.currency !== order.amount.currency && incoming
  const whole = incoming ? received.units : order.amount.units
  const comesBack = faults.strikes("bank.returns", order.kind)
  const returns = comesBack ? returnsOf(random, endsAt, whole) : []
  const fixed = received.currency === order.amount.currency || isPromised
  return {
    order,
    providerReference: `t-${order.reference}`,
    fails: faults.strikes("bank.fails", order.kind),
    sentAt: now + Math.floor(takes / 2),
    endsAt,
    received,
    // what is nobody's goes back whole
    returns: astray ? [{ at: endsAt + 5_000 + random.below(30_000), units: whole }] : returns,
    shortUntil: !incoming && fixed && faults.strikes("bank.tells_short") ? endsAt + random.below(60_000) : 0,
    sender: incoming ? sender : null
  }
}

/** How much has come back by a moment. */
export const backBy = ({ fails, returns }: Course, now: number): bigint =>
  fails ? 0n : (returns.findLast(({ at }) => at <= now)?.units ?? 0n)

/** Whether it was carried out by a moment. */
export const isDone = ({ endsAt, fails }: Course, now: number): boolean => !fails && endsAt <= now

/** What there is to tell of a transfer, from its first moment to a given one. */
export const statesUntil = (course: Course, now: number): ReadonlyArray<TransferState> => {
  const { endsAt, fails, order, providerReference, received, returns, sender, sentAt, shortUntil } = course
  const state = (status: TransferState["status"], more: Partial<TransferState> = {}): TransferState => ({
    providerReference,
    status,
    received: null,
    returned: null,
    sender: null,
    reason: null,
    ...more
  })
  const incoming = order.kind === "ON_RAMP"
  const told = now < shortUntil ? { ...received, units: (received.units * 9n) / 10n } : received
  const { currency } = incoming ? received : order.amount
  const states = [state(incoming ? "AWAITING_FUNDS" : "PROCESSING")]
  if (!incoming && sentAt <= now) states.push(state("SENT"))
  if (endsAt > now) return states
  if (fails) return [...states, state("FAILED", { reason: "as the seed has it" })]
  states.push(state("SETTLED", { received: told, sender }))
  for (const { at, units } of returns)
    if (at <= now)
      states.push(state("RETURNED", { received, sender, returned: { units, currency }, reason: "it came back" }))
  return states
}
