import { Context } from "effect"
import { makeResolveHost, type ResolveHost } from "./resolveHost.ts"

/** Finds the addresses of a host. Tests put a scripted one in its place. */
export const HostResolver = Context.Reference<ResolveHost>("@bursar/worker/egress/HostResolver", {
  defaultValue: () => makeResolveHost()
})
