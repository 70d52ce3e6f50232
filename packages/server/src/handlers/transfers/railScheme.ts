/** How an account is named: by IBAN, in Britain, in America, or anywhere by way of a BIC. */
export type Scheme = "SEPA" | "BRITISH" | "AMERICAN" | "SWIFT"

const rails: Readonly<Record<string, { readonly scheme: Scheme; readonly currency: string | null }>> = {
  SEPA: { scheme: "SEPA", currency: "EUR" },
  SEPA_INSTANT: { scheme: "SEPA", currency: "EUR" },
  FPS: { scheme: "BRITISH", currency: "GBP" },
  FASTER_PAYMENTS: { scheme: "BRITISH", currency: "GBP" },
  ACH: { scheme: "AMERICAN", currency: "USD" },
  ACH_SAME_DAY: { scheme: "AMERICAN", currency: "USD" },
  WIRE: { scheme: "AMERICAN", currency: "USD" },
  FEDWIRE: { scheme: "AMERICAN", currency: "USD" },
  SWIFT: { scheme: "SWIFT", currency: null }
}

/** The rails that partners can name. */
export const railNames: ReadonlyArray<string> = Object.keys(rails)

const usual: Readonly<Record<string, Scheme>> = { EUR: "SEPA", GBP: "BRITISH", USD: "AMERICAN" }

/** The scheme of a rail, or of a currency's usual one where none is named; otherwise in words what is wrong. */
export const schemeOf = (rail: string | null, currency: string): Scheme | { readonly problem: string } => {
  if (rail === null) return usual[currency] ?? "SWIFT"
  const known = Object.hasOwn(rails, rail.toUpperCase()) ? rails[rail.toUpperCase()] : undefined
  if (known === undefined) return { problem: `There is no such rail. There are ${railNames.join(", ")}.` }
  if (known.currency === null || known.currency === currency) return known.scheme
  return { problem: `${rail.toUpperCase()} moves ${known.currency}, not ${currency}.` }
}
