import type { Event, EventKind } from "../event/Event.ts"
import { eventKinds } from "../event/Event.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { format } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import { outcomeFamily } from "../operation/moveOperation.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Operation, OperationKind } from "../operation/Operation.ts"
import type { Invariant } from "./Invariant.ts"

/** What the events of one operation must tell, and what of it was told. */
interface Expected {
  readonly id: string
  readonly kind: OperationKind
  readonly family: string
  readonly network: Network | null
  readonly txHash: string | null
  /** Whether it settled at some time, and when. */
  readonly settledAt: Timestamp | null
  readonly failed: boolean
  readonly unresolved: boolean
  readonly amount: Amount
  /** What the event of its settlement tells. */
  readonly settledWith: Amount
  /** All that can come back. */
  readonly whole: Amount
  /** In base units, all that came back. */
  readonly returned: bigint
  /** The deposit that it credits; undefined for all other kinds. */
  readonly depositId: string | undefined
  settledTold: number
  failedTold: number
  unresolvedTold: number
  /** How much of what came back was told, each part as it was written. */
  returnedTold: Array<string>
  /** When the first return was told. */
  returnedAt: Timestamp | null
}

/** What the event of a settlement told: what moved; of an ON_RAMP from before other amounts were priced anew, what was announced. */
const settledWith = (operation: Operation): Amount => {
  const whole = wholeOf(operation)
  return whole.units !== operation.amount.units && operation.details.repriced_because === undefined
    ? operation.amount
    : whole
}

const expectedOf = (operation: Operation): Expected | undefined => {
  const { amount, details, id, kind, network, settledAt, status, txHash, unresolved } = operation
  const family = outcomeFamily[kind]
  if (family === null) return undefined
  return {
    id,
    kind,
    family,
    network,
    txHash,
    settledAt,
    failed: status === "FAILED",
    unresolved,
    amount,
    settledWith: settledWith(operation),
    whole: wholeOf(operation),
    // what came back before parts were told of came back whole, and was told with the operation's amount
    returned: status === "RETURNED" && details.returned === undefined ? amount.units : returnedOf(operation),
    depositId: kind === "DEPOSIT" ? String(details.deposit_id) : undefined,
    settledTold: 0,
    failedTold: 0,
    unresolvedTold: 0,
    returnedTold: [],
    returnedAt: null
  }
}

const outcomeOf = (kind: EventKind): string => kind.slice(kind.indexOf(".") + 1)

const statusTold: Readonly<Record<string, string>> = { settled: "SETTLED", failed: "FAILED", returned: "RETURNED" }

/** What a `deposit.settled` must tell of the DEPOSIT that it names. */
const creditMistake = (
  { data, id, occurredAt }: Event,
  one: Expected,
  currencies: CurrencyTable
): string | undefined => {
  const { amount, depositId, id: operationId } = one
  if (data["deposit_id"] !== depositId)
    return `event ${id} names operation ${operationId}, which credits deposit ${depositId}, but tells of ${String(data["deposit_id"])}`
  if (data["tx_hash"] !== one.txHash || data["network"] !== one.network)
    return `event ${id} tells of ${String(data["tx_hash"])} on ${String(data["network"])} where operation ${operationId} credits ${one.txHash} on ${one.network}`
  if (occurredAt !== one.settledAt)
    return `event ${id} tells of operation ${operationId} at ${occurredAt}, it settled at ${one.settledAt}`
  return data["amount_units"] === amount.units.toString() &&
    data["currency"] === amount.currency &&
    data["amount"] === shown(amount, currencies)
    ? undefined
    : `event ${id} tells of ${String(data["amount"])} ${String(data["currency"])} where operation ${operationId} credits ${shown(amount, currencies)} ${amount.currency}`
}

const shown = ({ currency, units }: Amount, currencies: CurrencyTable): string =>
  format(units, currencies.byCode(currency)?.decimals ?? 0)

/** What an outcome's event must tell of its operation. */
const dataMistake = (
  { data, id, kind, occurredAt }: Event,
  one: Expected,
  currencies: CurrencyTable
): string | undefined => {
  const outcome = outcomeOf(kind)
  const amount = outcome === "settled" ? one.settledWith : outcome === "returned" ? one.whole : one.amount
  const told = `event ${id} tells of operation ${one.id}`
  if (data["operation_id"] !== one.id || data["kind"] !== one.kind)
    return `${told}, a ${one.kind}, as ${String(data["kind"])} ${String(data["operation_id"])}`
  const status = statusTold[outcome]
  if (status !== undefined && data["status"] !== status) return `${told} that it is ${String(data["status"])}`
  if (data["currency"] !== amount.currency) return `${told} in ${String(data["currency"])}, it is in ${amount.currency}`
  if (outcome !== "returned" && data["amount"] !== shown(amount, currencies))
    return `${told} with ${String(data["amount"])} where ${shown(amount, currencies)} moved`
  if (outcome === "settled" && occurredAt !== one.settledAt)
    return `${told} at ${occurredAt}, it settled at ${one.settledAt}`
  const over = outcome === "settled" || outcome === "failed"
  return over && data["tx_hash"] !== one.txHash
    ? `${told} with transaction ${String(data["tx_hash"])}, it has ${one.txHash}`
    : undefined
}

const count = ({ data, kind, occurredAt }: Event, one: Expected): void => {
  switch (outcomeOf(kind)) {
    case "settled":
      one.settledTold += 1
      break
    case "failed":
      one.failedTold += 1
      break
    case "unresolved":
      one.unresolvedTold += 1
      break
    default:
      one.returnedTold.push(String(data["amount"]))
      one.returnedAt ??= occurredAt
  }
}

/** Base units of a decimal text of an event; undefined where it is none of the currency. */
const unitsOf = (text: string, decimals: number): bigint | undefined => {
  const [whole = "", fraction = ""] = text.split(".")
  const digits = `${whole}${fraction.padEnd(decimals, "0")}`
  return fraction.length <= decimals && /^\d+$/u.test(digits) ? BigInt(digits) : undefined
}

const times = (told: number): string => (told === 0 ? "no event" : told === 1 ? "one event" : `${told} events`)

/** What is wrong with the events of an operation together. */
const countMistake = (one: Expected, currencies: CurrencyTable): string | undefined => {
  const { failed, failedTold, family, id, returned, returnedAt, returnedTold, settledAt, settledTold, whole } = one
  // what came back in part before anybody saw it settle has settled in the same moment, and only the return was told
  const least = settledAt === null || settledAt === returnedAt ? 0 : 1
  if (settledTold < least || settledTold > 1)
    return `operation ${id} has settled, ${times(settledTold)} ${family}.settled tells of it`
  if (failedTold !== (failed ? 1 : 0))
    return `operation ${id} has ${failed ? "" : "not "}failed, ${times(failedTold)} ${family}.failed tells of it`
  const decimals = currencies.byCode(whole.currency)?.decimals ?? 0
  const parts = returnedTold.map((text) => unitsOf(text, decimals) ?? 0n)
  const sum = parts.reduce((all, units) => all + units, 0n)
  if (sum !== returned || parts.some((units) => units === 0n))
    return `of operation ${id} ${returned} came back, ${times(parts.length)} ${family}.returned tell of ${sum}`
  return one.unresolved && one.unresolvedTold === 0
    ? `operation ${id} is unresolved but no event ${family}.unresolved tells of it`
    : undefined
}

/** The events of outcomes are what the history of each operation allows. */
export const outcomes: Invariant = {
  name: "outcomes",
  rule: "every operation has exactly the events of the outcomes that it had, each with what moved then: one of its end, and one of each part that came back; no event tells of an operation that does not exist",
  bySubject: ({ currencies }) => {
    const operations = new Map<string, Expected>()
    return {
      operation: (operation) => {
        const expected = expectedOf(operation)
        if (expected !== undefined) operations.set(operation.id, expected)
        return undefined
      },
      event: (event) => {
        const { id, kind, resourceId } = event
        if (eventKinds[kind] !== "operation") return undefined
        const one = operations.get(resourceId)
        if (one === undefined || kind.slice(0, kind.indexOf(".")) !== one.family)
          return `event ${id}, a ${kind}, names operation ${resourceId}, which is ${one === undefined ? "none" : `a ${one.kind}`}`
        count(event, one)
        return one.depositId === undefined ? dataMistake(event, one, currencies) : creditMistake(event, one, currencies)
      },
      finish: () => {
        for (const one of operations.values()) {
          const mistake = countMistake(one, currencies)
          if (mistake !== undefined) return mistake
        }
        return undefined
      }
    }
  }
}
