import type { Amount } from "../../money/Amount.ts"
import { wholeOf } from "../../operation/movedAmount.ts"
import { type Operation, ofKind } from "../../operation/Operation.ts"
import { isPlaced, isSuspended, onRampState } from "../../transfer/transferState.ts"
import { entry, type RequiredLegs, type RequiredLine, unitsIn } from "./RequiredLine.ts"

const amountsIn = (stored: Operation["details"]["fees_beside"] = []): ReadonlyArray<Amount> =>
  stored.map(({ currency, units }) => ({ currency, units: unitsIn(units) ?? 0n }))

const swapSettled = (operation: Operation): RequiredLegs => {
  const { amount, details, toAmount } = operation
  const sold = entry("exchange", "custodian", amount, "convert_out")
  const untold = details.received === undefined ? (["custodian", "fees"] as const) : []
  if (toAmount === null) return { lines: sold, untold }
  // where it is not told what was received, only what was credited is judged
  const received = unitsIn(details.received) ?? toAmount.units
  const into = (units: bigint): Amount => ({ currency: toAmount.currency, units })
  return {
    lines: [
      ...sold,
      ...entry("custodian", "exchange", into(received), "convert_in"),
      ...entry("exchange", "float:available", toAmount, "convert_in"),
      ...entry("exchange", "fees", into(received - toAmount.units), "convert_in"),
      ...amountsIn(details.fees_beside).flatMap((fee) => entry("fees", "custodian", fee, "convert_out"))
    ],
    untold
  }
}

/**
 * A SWAP.
 *
 * | state | legs |
 * |---|---|
 * | accepted, from then on | `float:available` → `exchange`: the amount; `float:available` → `fees`: the fee |
 * | SETTLED | `exchange` → `custodian`: the amount; `custodian` → `exchange`: what was received; `exchange` → `float:available`: what is credited of it; `exchange` → `fees`: the rest; `fees` → `custodian`: what the custodian took beside |
 * | FAILED | the mirror image of what was accepted |
 */
export const swapLegs = (operation: Operation): RequiredLegs => {
  const { amount, customerFee, status } = operation
  const fee = { ...amount, units: customerFee.units }
  const out = entry("float:available", "exchange", amount, "convert_out")
  const charged = entry("float:available", "fees", fee, "fee")
  if (status === "FAILED")
    return {
      lines: [
        ...out,
        ...charged,
        ...entry("exchange", "float:available", amount, "return"),
        ...entry("fees", "float:available", fee, "return")
      ]
    }
  if (status !== "SETTLED") return { lines: [...out, ...charged] }
  const { lines, untold = [] } = swapSettled(operation)
  return { lines: [...out, ...charged, ...lines], untold }
}

type Standing = ReturnType<typeof onRampState>

/** The lines that bring the books from one standing of an ON_RAMP to another. */
const onRampLines = (
  operation: Operation,
  before: Standing | undefined,
  after: Standing,
  what: { readonly principal: "principal" | "return"; readonly fee: "fee" | "return" }
): ReadonlyArray<RequiredLine> => {
  const { currency } = wholeOf(operation)
  const grown = (name: keyof Standing): Amount => ({ currency, units: after[name] - (before?.[name] ?? 0n) })
  return [
    ...entry("bank", "suspense", grown("suspense"), what.principal),
    ...entry("bank", "float:available", grown("credited"), what.principal),
    ...entry("bank", "fees", grown("difference"), what.principal),
    ...entry("float:available", "fees", grown("fee"), what.fee)
  ]
}

/**
 * An ON_RAMP.
 *
 * | state | legs |
 * |---|---|
 * | until something arrives, FAILED, or RETURNED before it was booked | none |
 * | SETTLED | `bank` → `float:available`: what arrived; `float:available` → `fees`: the fee of it |
 * | arrived, and nobody's (`suspended`) | `bank` → `suspense`: what arrived |
 * | SETTLED after that (`placed`) | `suspense` → `float:available`: what arrived, and had not gone back |
 * | RETURNED after that | the same the other way, for the part that went back: the fee by its share |
 */
export const onRampLegs = (operation: Operation): RequiredLegs => {
  if (operation.settledAt === null && !isSuspended(operation)) return { lines: [] }
  const { returned: _, ...details } = ofKind(operation, "ON_RAMP").details
  const since = details.returned_unplaced
  const unplaced = unitsIn(since) ?? 0n
  const first = onRampState({
    ...operation,
    status: "SETTLED",
    details: since === undefined ? details : { ...details, returned: since }
  })
  const whole = wholeOf(operation)
  return {
    lines: [
      ...(isPlaced(operation)
        ? [
            ...entry("bank", "suspense", whole, "principal"),
            ...entry("suspense", "bank", { ...whole, units: unplaced }, "return"),
            ...entry("suspense", "float:available", { ...whole, units: whole.units - unplaced }, "principal")
          ]
        : onRampLines(operation, undefined, first, { principal: "principal", fee: "fee" })),
      ...onRampLines(operation, first, onRampState(operation), { principal: "return", fee: "return" })
    ]
  }
}
