import { wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import { floorOf } from "../pricing/floorOf.ts"
import { creditedOf } from "../swap/recordSwap.ts"
import { toCurrencyOf } from "../swap/toCurrencyOf.ts"
import { receivedCurrencyOf } from "../transfer/transferOrder.ts"
import { isPlaced } from "../transfer/transferState.ts"
import { unitsIn } from "./legs/RequiredLine.ts"
import type { Invariant } from "./Invariant.ts"

const currencyOf = (operation: Operation): string => {
  if (operation.kind === "SWAP") return toCurrencyOf(operation)
  // what operators took out of suspense is credited as it came
  return isPlaced(operation) ? wholeOf(operation).currency : receivedCurrencyOf(operation)
}

/** The least and the most that its receiver can have got. */
const boundsOf = (operation: Operation): { readonly least: bigint; readonly most?: bigint } => {
  const { amount, details, kind } = operation
  const floor = floorOf(operation)?.units
  switch (kind) {
    case "BANK_TRANSFER":
    case "REFUND":
    case "INTERNAL_TRANSFER":
      return { least: amount.units, most: amount.units }
    case "OFF_RAMP":
      return { least: floor ?? (receivedCurrencyOf(operation) === amount.currency ? amount.units : 1n) }
    case "SWAP": {
      const received = unitsIn(details.received)
      const credited = received === undefined ? undefined : creditedOf(operation, received)
      return credited === undefined ? { least: floor ?? 1n } : { least: credited, most: credited }
    }
    default: {
      const whole = wholeOf(operation).units
      return isPlaced(operation) ? { least: whole, most: whole } : { least: 1n }
    }
  }
}

const converted: ReadonlySet<Operation["kind"]> = new Set([
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "REFUND",
  "INTERNAL_TRANSFER"
])

/** What a receiver got is what was promised. How much a SWAP and an ON_RAMP credited is held against their legs as well. */
export const receivedAmounts: Invariant = {
  name: "to-amounts",
  rule: "what the receiver of an operation got is told once it has settled, in the currency that was ordered, and is what was ordered or no less than was promised",
  run: () => ({
    operation: (operation) => {
      const { id, kind, settledAt, status, toAmount } = operation
      if (!converted.has(kind))
        return toAmount === null ? undefined : `${kind} ${id} converts nothing and says what it came to`
      if (settledAt === null)
        return toAmount === null ? undefined : `${kind} ${id} has not settled and says what it came to`
      if (toAmount === null)
        return status === "RETURNED" ? undefined : `${kind} ${id} has settled and does not say what it came to`
      if (toAmount.currency !== currencyOf(operation))
        return `${kind} ${id} came to ${toAmount.currency} where ${currencyOf(operation)} was ordered`
      const { least, most = toAmount.units } = boundsOf(operation)
      return toAmount.units < least || toAmount.units > most
        ? `${kind} ${id} came to ${toAmount.units} ${toAmount.currency} where ${least} was promised`
        : undefined
    }
  })
}
