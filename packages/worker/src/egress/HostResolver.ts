import { Context } from "effect"
import type { EgressRequest } from "./Egress.ts"
import { makeResolveHost, resolveAsSystem, type ResolveHost } from "./resolveHost.ts"

/** How the addresses of a host are found, by who chose the host. */
export type HostResolvers = Readonly<Record<EgressRequest["chosenBy"], ResolveHost>>

/**
 * Finds the addresses of hosts: what the operator configured as the system finds it, with its search domains; what a tenant chose without a thread
 * that its name servers could hold. Tests put scripted ones in their place.
 */
export const HostResolver = Context.Reference<HostResolvers>("@bursar/worker/egress/HostResolver", {
  defaultValue: () => ({ operator: resolveAsSystem, tenant: makeResolveHost() })
})
