import type { Course } from "../outside/bank/Course.ts"
import type { World } from "../world/World.ts"
import type { Carried, Charging } from "./judgeRequests.ts"
import { feeOf, type Purses } from "../model/money.ts"
import type { Told } from "./Told.ts"

/** The bank of a world, as it truly is. */
type AtBank = Pick<World, "bank">

const provided: ReadonlySet<string> = new Set(["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND"])

/** What the bank really did for an operation. */
const doneFor = ({ bank }: AtBank, { entry }: Carried): ReadonlyArray<Course> =>
  bank.taken.filter(({ fails, order }) => !fails && order.reference === entry.id)

/** How a transfer has to stand by what the bank really did. */
const statusOf = ({ bank }: AtBank, [course]: ReadonlyArray<Course>): string => {
  if (course === undefined) return "FAILED"
  return bank.backOf(course) > 0n ? "RETURNED" : "SETTLED"
}

/** Each transfer was carried out once if the service says that it was, and never if it says that it failed. */
export const judgeTransfers = (world: AtBank, carried: ReadonlyArray<Carried>): ReadonlyArray<string> =>
  carried
    .filter(({ entry: { kind } }) => provided.has(kind))
    .flatMap((one) => {
      const { entry } = one
      const done = doneFor(world, one)
      const right = statusOf(world, done)
      return [
        ...(done.length > 1 ? [`${entry.kind} ${entry.id} was carried out ${done.length} times`] : []),
        ...(entry.status === right ? [] : [`${entry.kind} ${entry.id} is ${entry.status}, and should be ${right}`])
      ]
    })

/** Adds to a purse what came by the bank and takes from it what went, and to the other the fees. */
export const countTransfers = (
  world: AtBank & Charging,
  { earned, own }: Purses,
  carried: ReadonlyArray<Carried>
): void => {
  const { bank, config } = world
  for (const one of carried) {
    const { entry, variant } = one
    const { currency, units } = variant.meant
    if (entry.kind === "INTERNAL_TRANSFER") own.add(currency, -units)
    if (!provided.has(entry.kind)) continue
    const [course] = doneFor(world, one)
    if (course === undefined) continue
    const back = bank.backOf(course)
    if (entry.kind === "ON_RAMP") {
      const came = course.received
      // money in another currency is nobody's until somebody says whose it is
      if (came.currency !== currency) continue
      const left = came.units - back
      const fee = (feeOf(came.units, config.feePercent) * left) / came.units
      own.add(currency, left - fee)
      earned.add(currency, fee)
      continue
    }
    // what came back whole before the partner was told that it had left is as if it never had
    if (back === units && entry.settled_at === null) continue
    const fee = entry.kind === "REFUND" ? 0n : feeOf(units, config.feePercent)
    own.add(currency, back - units - fee)
    earned.add(currency, fee)
  }
}

/** The bank was ordered what a partner has asked for, to the account that it named, and nothing else. */
export const judgeOrders = (
  { bank }: AtBank,
  carried: ReadonlyArray<ReadonlyArray<Carried>>
): ReadonlyArray<string> => {
  const all = new Map(carried.flat().map((one) => [one.entry.id, one]))
  return bank.taken.flatMap(({ order }) => {
    const one = all.get(order.reference)
    if (one === undefined) return [`the bank was ordered ${order.reference}, and nobody asked for it`]
    const { customer, currency, kind, to, toCurrency, units } = one.variant.meant
    const source = kind === "REFUND" ? bank.taken.find((course) => course.order.reference === to) : undefined
    const payee = kind === "REFUND" ? (source?.sender?.iban ?? null) : kind === "ON_RAMP" ? null : to
    const wrong = (what: string) => `${kind} ${order.reference} was ordered of the bank ${what}`
    return [
      ...(order.kind === kind ? [] : [wrong(`as ${order.kind}`)]),
      ...(order.amount.units === units && order.amount.currency === currency
        ? []
        : [wrong(`with ${order.amount.units} ${order.amount.currency}`)]),
      ...(order.toCurrency === toCurrency ? [] : [wrong(`to bring ${order.toCurrency}`)]),
      ...((order.payee?.iban ?? null) === payee ? [] : [wrong(`to ${order.payee?.iban}, not to ${payee}`)]),
      ...(customer === null || bank.accounts.customerOf(customer) === order.providerCustomerId
        ? []
        : [wrong("in another name")])
    ]
  })
}

/** Refunds of what came in pay back no more than came, and what the bank took back is not paid back once more. */
export const judgeRefunds = ({ bank, records }: AtBank & Pick<World, "records">): ReadonlyArray<string> => {
  const sources = new Map<string, bigint>()
  for (const { variants } of records.asked) {
    for (const { answers, meant } of variants) {
      const id = answers.find((answer) => answer.status < 300)?.id
      const paid = bank.taken.find((course) => !course.fails && course.order.reference === id)
      if (meant.kind !== "REFUND" || meant.to === null || paid === undefined) continue
      sources.set(meant.to, (sources.get(meant.to) ?? 0n) + paid.order.amount.units - bank.backOf(paid))
    }
  }
  return [...sources].flatMap(([id, units]) => {
    const came = bank.taken.find((course) => !course.fails && course.order.reference === id)?.received.units ?? 0n
    return units > came ? [`${units} were paid back of ${id}, which brought ${came}`] : []
  })
}

/** Accounts of customers have what was paid to them, by anybody and by the partner itself. */
export const judgeAccounts = (
  { bank }: AtBank,
  { accounts }: Pick<Told, "accounts">,
  carried: ReadonlyArray<Carried>
): ReadonlyArray<string> =>
  [...accounts].flatMap(([id, units]) => {
    const arrived = bank.accounts.all().find(({ reference }) => reference === id)?.arrived ?? []
    const moved = carried.filter(
      ({ entry, variant: { meant } }) => entry.kind === "INTERNAL_TRANSFER" && meant.to === id
    )
    const right =
      arrived.reduce((sum, { amount }) => sum + amount.units, 0n) +
      moved.reduce((sum, { variant: { meant } }) => sum + meant.units, 0n)
    return units === right ? [] : [`account ${id} has ${units}, and ${right} were paid to it`]
  })

/** Nothing was taken in the name of somebody whom nobody has checked. */
export const judgeNames = (
  { verifier }: Pick<World, "verifier">,
  carried: ReadonlyArray<Carried>
): ReadonlyArray<string> =>
  carried.flatMap(({ entry, variant: { meant, takenAt } }) => {
    if (meant.customer === null) return []
    const approvedAt = verifier.approvedAt(meant.customer)
    const checked = approvedAt !== undefined && approvedAt <= (takenAt ?? 0)
    return checked ? [] : [`${entry.kind} ${entry.id} is in the name of somebody whom nobody had checked`]
  })
