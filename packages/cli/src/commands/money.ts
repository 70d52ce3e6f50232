/** An amount as a person reads it: `12.5 USDT_TRON`. */
export const moneyText = ({ amount, currency }: { readonly amount: string; readonly currency: string }): string =>
  `${amount} ${currency}`
