import { type Asked, askedKinds, type Variant } from "../world/Records.ts"
import type { PartnerOfWorld } from "../people/letIn.ts"
import type { World } from "../world/World.ts"
import { feeOf, unitsOf } from "../model/money.ts"
import type { Entry, Told } from "./Told.ts"

/** A request of a partner, and the one operation that it became. */
export interface Carried {
  readonly asked: Asked
  readonly variant: Variant
  readonly entry: Entry
}

/** What the operations of a world are charged. */
export interface Charging {
  readonly config: Pick<World["config"], "feePercent">
}

const asksFor: ReadonlySet<string> = new Set(askedKinds)

/** The kinds that cost nothing. */
const free: ReadonlySet<string> = new Set(["REFUND", "INTERNAL_TRANSFER"])

/** The ids that the answers to a request name. */
const idsOf = ({ variants }: Asked): ReadonlySet<string> =>
  new Set(
    variants.flatMap(({ answers }) => answers.flatMap(({ id, status }) => (status < 300 && id !== null ? [id] : [])))
  )

const ofOne = (asked: Asked): ReadonlyArray<string> => {
  const ids = idsOf(asked)
  const taken = asked.variants.filter(({ answers }) => answers.some(({ status }) => status < 300))
  const told = new Set(
    taken.flatMap(({ answers }) => answers.filter(({ status }) => status < 300).map(({ body }) => body))
  )
  // of two that are asked at once one may be refused before the other is taken, and hear of it later
  const undone = taken.flatMap(({ answers }) =>
    answers.filter(({ isAfterTaken, status }) => isAfterTaken && status === 422)
  )
  return [
    ...(ids.size > 1 ? [`key ${asked.key} had ${ids.size} effects`] : []),
    ...(taken.length > 1 ? [`key ${asked.key} was taken for two bodies`] : []),
    ...(ids.size === 1 && told.size > 1 ? [`key ${asked.key} got ${told.size} different answers`] : []),
    ...(undone.length > 0 ? [`key ${asked.key} was refused after it was taken`] : []),
    ...asked.variants
      .flatMap(({ answers }) => answers)
      .filter(({ status }) => status >= 500 && status !== 503)
      .map(({ body, status }) => `key ${asked.key} was answered ${status} ${body}`)
  ]
}

/** Each key has one effect and one answer, and nothing is done that nobody asked for. */
export const judgeRequests = (
  world: Pick<World, "currencies" | "records"> & Charging,
  { partner, register }: Pick<Told<Pick<PartnerOfWorld, "index">>, "partner" | "register">
) => {
  const own = world.records.asked.filter(({ tenant }) => tenant === partner.index)
  const entries = new Map(register.map((entry) => [entry.id, entry]))
  const carried: Array<Carried> = []
  const violations = own.flatMap(ofOne)
  const answered = new Set<string>()
  for (const asked of own) {
    for (const id of idsOf(asked)) {
      answered.add(id)
      const entry = entries.get(id)
      const variant = asked.variants.find(({ answers }) => answers.some((answer) => answer.id === id))
      if (entry === undefined || variant === undefined) violations.push(`operation ${id} of ${asked.key} was lost`)
      else carried.push({ asked, variant, entry })
    }
  }
  for (const { id, kind } of register)
    if (asksFor.has(kind) && !answered.has(id)) violations.push(`${kind} ${id} was asked for by nobody`)
  for (const { entry, variant } of carried) {
    const { currency, units } = variant.meant
    const decimals = world.currencies.byCode(currency)?.decimals ?? 0
    const [amount, fee] = [entry.amount, entry.customer_fee].map((money) => unitsOf(money.amount, decimals))
    if (amount !== units || entry.amount.currency !== currency)
      violations.push(`${entry.kind} ${entry.id} is of ${amount}, not of ${units}`)
    const right = free.has(entry.kind) ? 0n : feeOf(units, world.config.feePercent)
    // what came in may be another amount than was announced: then its fee is, too
    if (fee !== right && entry.kind !== "ON_RAMP")
      violations.push(`${entry.kind} ${entry.id} takes a fee of ${fee}, not of ${right}`)
  }
  return { violations, carried }
}
