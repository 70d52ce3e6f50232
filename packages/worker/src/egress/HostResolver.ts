import { Context } from "effect"
import { lookup } from "node:dns/promises"

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** Finds the addresses of a host, as the system does. Tests put a scripted one in its place. */
export const HostResolver = Context.Reference<(host: string) => Promise<ReadonlyArray<HostAddress>>>(
  "@bursar/worker/egress/HostResolver",
  { defaultValue: () => (host) => lookup(host, { all: true, order: "verbatim" }) }
)
