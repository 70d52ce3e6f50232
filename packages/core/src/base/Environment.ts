/** Where money is real and where it is not. */
export const environments = ["LIVE", "SANDBOX"] as const

/**
 * Where money is real and where it is not. Tenants, networks and providers are each of one: main networks and real accounts are LIVE,
 * test networks and the sandboxes of providers are SANDBOX.
 */
export type Environment = (typeof environments)[number]
