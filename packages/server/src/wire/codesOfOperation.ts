import type { Operation } from "@bursar/core/operation/Operation"

/** The currencies of the amounts that are shown of an operation. */
export const codesOfOperation = (operation: Operation): ReadonlyArray<string> => {
  const { amount, customerFee, networkFee, toAmount, toAmountQuoted } = operation
  return [amount, customerFee, toAmount, toAmountQuoted, networkFee].flatMap((one) =>
    one === null ? [] : [one.currency]
  )
}
