/** Where errors go when nobody asked for them. */
export const toConsole = (error: unknown): void => {
  // oxlint-disable-next-line no-console
  console.error(error)
}

/** Tells a handler of errors, which may fail itself, also later: what it throws goes to the console, and whoever told it goes on. */
export const toldSafely = (tell: () => unknown): void => void (async () => tell())().catch(toConsole)
