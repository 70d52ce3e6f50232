/** What partners call a rail, and what Bridge calls it. */
const names: Readonly<Record<string, string>> = {
  SEPA: "sepa",
  SEPA_INSTANT: "sepa",
  ACH: "ach",
  ACH_SAME_DAY: "ach_same_day",
  WIRE: "wire",
  FEDWIRE: "wire",
  SWIFT: "swift",
  FPS: "faster_payments",
  FASTER_PAYMENTS: "faster_payments"
}

/** The usual rail of a currency. */
const usual: Readonly<Record<string, string>> = { EUR: "sepa", USD: "ach", GBP: "faster_payments" }

/** Bridge pulls from a bank account by `ach`; what is pushed to it arrives by `ach_push`. */
const incoming: Readonly<Record<string, string>> = { ach: "ach_push", ach_same_day: "ach_push" }

/** Bridge's name of the rail that money leaves on; undefined where there is none. */
export const outgoingRail = (rail: string | null, currency: string): string | undefined =>
  rail === null ? usual[currency] : names[rail.toUpperCase()]

/** Bridge's name of the rail that money comes in on; undefined where there is none. */
export const incomingRail = (rail: string | null, currency: string): string | undefined => {
  const name = outgoingRail(rail, currency)
  return name === undefined ? undefined : (incoming[name] ?? name)
}
