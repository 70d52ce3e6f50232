/** Every scope, in the order shown to people. */
export const scopes = [
  "deposits:read",
  "deposits:write",
  "deposits:issue",
  "chain_payouts:read",
  "chain_payouts:write",
  "withdrawals:read",
  "withdrawals:write",
  "quotes:read",
  "swaps:read",
  "swaps:write",
  "register:read",
  "events:read",
  "customers:read",
  "customers:write",
  "accounts:read",
  "accounts:write",
  "transfers:read",
  "transfers:write"
] as const

/** A right that a key may hold; each route needs exactly one, or none. */
export type Scope = (typeof scopes)[number]

/** The scopes that neither a bundle nor a wildcard gives: they are granted by name alone. */
export const scopesByNameOnly: ReadonlyArray<Scope> = ["deposits:issue"]

const swaps = ["quotes:read", "swaps:read", "swaps:write", "register:read", "events:read"] as const

/** The bundles in which keys are granted, with their scopes. */
export const bundles = {
  deposits: ["deposits:read", "deposits:write", "events:read"],
  chain_payouts: ["chain_payouts:write", "chain_payouts:read", "events:read"],
  withdrawals: ["withdrawals:read", "withdrawals:write", "register:read", "events:read"],
  swaps,
  swaps_for_customers: [...swaps, "customers:read", "customers:write"],
  customers_fiat: [
    "customers:read",
    "customers:write",
    "accounts:read",
    "accounts:write",
    "transfers:read",
    "transfers:write",
    "events:read"
  ],
  introspection: ["quotes:read", "register:read", "events:read"]
} as const satisfies Record<string, ReadonlyArray<Scope>>

/** The name of a bundle. */
export type Bundle = keyof typeof bundles

/** Whether a text is a scope. */
export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)

/** Whether a text is the name of a bundle. */
export const isBundle = (text: string): text is Bundle => Object.hasOwn(bundles, text)

/**
 * The scopes that a grant means: itself, or for a wildcard such as `transfers:*` every scope of that area that is not
 * granted by name alone. An empty list means that the grant names nothing.
 */
export const expandScope = (grant: string): ReadonlyArray<Scope> => {
  if (isScope(grant)) return [grant]
  if (!grant.endsWith(":*")) return []
  const area = grant.slice(0, -1)
  return scopes.filter((scope) => scope.startsWith(area) && !scopesByNameOnly.includes(scope))
}

/** The scopes of several grants, each once, in the order of {@link scopes}. */
export const expandScopes = (grants: ReadonlyArray<string>): ReadonlyArray<Scope> => {
  const granted = new Set(grants.flatMap(expandScope))
  return scopes.filter((scope) => granted.has(scope))
}
