/** How far the sweep of an address has come. */
export const sweepStates = [
  "ELIGIBLE",
  "TOPUP_SIGNED",
  "TOPUP_CONFIRMED",
  "SWEEP_SIGNED",
  "SWEPT",
  "ABANDONED"
] as const
