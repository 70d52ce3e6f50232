/** Secrets under envelope encryption. */
export {}
