import type { Operation } from "../operation/Operation.ts"

/** The currency that a swap converts to: what was asked for, which is what a partner signs and people approve. */
export const toCurrencyOf = ({ details, toAmountQuoted }: Operation): string =>
  details.to_currency ?? toAmountQuoted?.currency ?? ""
