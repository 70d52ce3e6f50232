const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** How much is measured: `BENCH_…`, each with what it is where the variable is not set. */
export const settings = {
  seconds: setting("BENCH_SECONDS", 10),
  scanBlocks: setting("BENCH_SCAN_BLOCKS", 10_000),
  scanAddresses: setting("BENCH_SCAN_ADDRESSES", 1_000_000),
  payouts: setting("BENCH_PAYOUTS", 1_000),
  signatures: setting("BENCH_SIGNATURES", 500),
  webhookEvents: setting("BENCH_WEBHOOK_EVENTS", 5_000),
  readOperations: setting("BENCH_READ_OPERATIONS", 1_000_000),
  checkedOperations: setting("BENCH_CHECKED_OPERATIONS", 500_000),
  bookLegs: setting("BENCH_BOOK_LEGS", 1_000_000),
  leaves: setting("BENCH_LEAVES", 1_000_000),
  reconciledLegs: setting("BENCH_RECONCILED_LEGS", 1_000_000),
  searchedOperations: setting("BENCH_SEARCHED_OPERATIONS", 1_000_000),
  listedOperations: setting("BENCH_LISTED_OPERATIONS", 100_000),
  tipBlocks: setting("BENCH_TIP_BLOCKS", 20)
} as const

/** The variables that were set, as they stand before a command. */
export const settingsText = (): string =>
  Object.entries(process.env)
    .flatMap(([name, value]) => (name.startsWith("BENCH_") && value !== undefined ? [`${name}=${value} `] : []))
    .join("")
