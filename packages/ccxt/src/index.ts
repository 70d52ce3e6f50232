/** A custodian and prices at an exchange, through ccxt. */
export {}
