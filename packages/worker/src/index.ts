/** Watchers, confirmations, crediting and webhook delivery. */
export {}
