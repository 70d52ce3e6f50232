import { Data, Effect, Result } from "effect"
import { lookup, Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** Finds the addresses of a host, for a connection of node:net; rejects with `Unresolved`. */
export type ResolveHost = (host: string) => Promise<ReadonlyArray<HostAddress>>

/** The name of a host leads nowhere: there is no such name, or nobody answers for it. */
export class Unresolved extends Data.TaggedError("Unresolved")<{ readonly message: string }> {}

/** Where names are looked up, and how long name servers have to answer. */
export interface ResolveOptions {
  /** A file in the form of `/etc/hosts`: what it names is asked of nobody. */
  readonly hostsFile: string
  /** As `<address>:<port>`; the ones of the system where there are none. */
  readonly servers: ReadonlyArray<string>
  readonly timeoutMs: number
}

/** The names of the system. Their time is over before a connection is given up, so that it is said what was missing. */
const systemNames: ResolveOptions = { hostsFile: "/etc/hosts", servers: [], timeoutMs: 4_000 }

/** How long a name server has before it is asked again, or another is. */
const retryMs = 1_000

type Found = Effect.Effect<ReadonlyArray<HostAddress>, Unresolved>

const asking = <A>(ask: () => Promise<A>): Effect.Effect<A, Unresolved> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => new Unresolved({ message: error instanceof Error ? error.message : String(error) })
  })

/** The addresses that a line of a hosts file gives a host. */
const inLine = (line: string, host: string): ReadonlyArray<HostAddress> => {
  const [address = "", ...names] = line.replace(/#.*/u, "").trim().split(/\s+/u)
  const family = isIP(address)
  return family !== 0 && names.some((name) => name.toLowerCase() === host) ? [{ address, family }] : []
}

/** The addresses that a hosts file gives a host; a machine without such a file names nothing in it. */
const inFile = (file: string, host: string): Effect.Effect<ReadonlyArray<HostAddress>> =>
  Effect.map(
    Effect.orElseSucceed(
      Effect.tryPromise(() => readFile(file, "utf8")),
      () => ""
    ),
    (text) => text.split("\n").flatMap((line) => inLine(line, host))
  )

/** Asks name servers for the addresses of both families. What one of them lacks at the end of the time leaves the other. */
const ask = (host: string, { servers, timeoutMs }: ResolveOptions): Found =>
  Effect.suspend(() => {
    // one for each lookup, which ends with it
    const resolver = new Resolver({ timeout: retryMs })
    if (servers.length > 0) resolver.setServers(servers)
    const late = () =>
      Effect.fail(new Unresolved({ message: `no name server answered for ${host} within ${timeoutMs} ms` }))
    const family = (number: 4 | 6) =>
      asking(() => (number === 4 ? resolver.resolve4(host) : resolver.resolve6(host))).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: late }),
        Effect.map((addresses) => addresses.map((address) => ({ address, family: number }))),
        Effect.result
      )
    return Effect.all([family(4), family(6)], { concurrency: 2 }).pipe(
      Effect.flatMap(([four, six]) => {
        if (Result.isFailure(four)) return Effect.fromResult(Result.isFailure(six) ? four : six)
        return Effect.succeed([...four.success, ...(Result.isFailure(six) ? [] : six.success)])
      }),
      Effect.ensuring(Effect.sync(() => resolver.cancel()))
    )
  })

/** Asks the system, whatever its `nsswitch.conf` and search domains say. */
const askSystem = (host: string): Found => asking(() => lookup(host, { all: true, order: "verbatim" }))

const find = (host: string, options: ResolveOptions): Found => {
  const name = host.toLowerCase().replace(/\.$/u, "")
  // `localhost` and the short names of a network are the system's to know: nobody outside answers for them
  if (!name.includes(".")) return askSystem(name)
  return Effect.flatMap(inFile(options.hostsFile, name), (listed) =>
    listed.length > 0 ? Effect.succeed(listed) : ask(name, options)
  )
}

/** Finds the addresses of hosts as the system does: of those that the operator chose, by names that perhaps only the system knows. */
export const resolveAsSystem: ResolveHost = (host) => Effect.runPromise(askSystem(host))

/**
 * Finds the addresses of hosts that others chose, whose name servers they run. The system's own lookup (`getaddrinfo`) would hold one of the few threads
 * of the process for as long as such a server is silent, and nobody else's names could be looked up. So they are asked here, without a thread and for a
 * limited time; a host is asked for once at a time. Names are taken as they are written: no search domain is tried.
 */
export const makeResolveHost = (options: ResolveOptions = systemNames): ResolveHost => {
  const pending = new Map<string, Promise<ReadonlyArray<HostAddress>>>()
  return (host) => {
    const there = pending.get(host)
    if (there !== undefined) return there
    const looking = Effect.runPromise(find(host, options)).finally(() => pending.delete(host))
    pending.set(host, looking)
    return looking
  }
}
