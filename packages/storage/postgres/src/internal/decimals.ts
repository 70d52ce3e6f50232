import { format } from "@bursar/core/money/Amount"
import { type Decimal, parseDecimal } from "@bursar/core/money/Rate"
import * as Cell from "./cells.ts"

/** A decimal as it is stored: its shortest text. */
export const decimalText = ({ decimals, units }: Decimal): string => format(units, decimals)

/** The decimal of a stored text. */
export const decimalOf = (cell: unknown): Decimal => {
  const decimal = parseDecimal(Cell.text(cell))
  if (decimal === undefined) throw new Error("a stored decimal cannot be read")
  return decimal
}
