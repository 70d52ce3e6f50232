/** Providers that behave like real ones and move no real money. */
export {}
