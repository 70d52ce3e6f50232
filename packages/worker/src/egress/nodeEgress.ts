import { Effect, Layer, Result } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { LookupFunction } from "node:net"
import { urlToHttpOptions } from "node:url"
import { HostResolver, type HostResolvers } from "./HostResolver.ts"
import { Egress, type EgressResponse, EgressError, type EgressRequest } from "./Egress.ts"
import { type Agents, makeAgents } from "./keptConnections.ts"
import { checkUrl, mayConnect, type Reach } from "./Reach.ts"
import { type HostAddress, type ResolveHost, Unresolved } from "./resolveHost.ts"

/** An address behind the name must not be reached. */
class AddressRefused extends Error {}

/**
 * The lookup of one connection: the addresses that it checks are the ones that node:net connects to, so a name that
 * resolves differently the next time gains nothing. One address that must not be reached refuses the name.
 */
const checkedLookup =
  (resolve: ResolveHost, reach: Reach): LookupFunction =>
  (host, options, callback) => {
    const answer = (addresses: ReadonlyArray<HostAddress>): void => {
      const [first] = addresses
      const bad = addresses.find(({ address }) => !mayConnect(address, reach))
      if (first === undefined) callback(new Unresolved({ message: `${host} has no address` }), [])
      else if (bad !== undefined)
        callback(new AddressRefused(`${host} resolves to ${bad.address}, which is not a public address`), [])
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    resolve(host).then(answer, (error: unknown) =>
      callback(error instanceof Error ? error : new Error(String(error)), [])
    )
  }

const errorOf = (error: Error & { readonly code?: string }): EgressError => {
  if (error instanceof AddressRefused) return new EgressError({ reason: "refused", detail: error.message })
  const reason = error instanceof Unresolved ? "unresolved" : "unreachable"
  return new EgressError({
    reason,
    detail: error.message === "" ? (error.code ?? "the connection failed") : error.message
  })
}

/** What has come so far. */
interface Progress {
  head: { readonly status: number; readonly headers: ReadonlyMap<string, string> } | undefined
  readonly chunks: Array<Buffer>
  size: number
  /** Whether the answer came to its end. */
  ended: boolean
}

/** The answer as far as it has come; undefined where nothing has. */
const answerOf = ({ chunks, ended, head, size }: Progress, bytesMax: number): EgressResponse | undefined =>
  head && { ...head, body: Buffer.concat(chunks).subarray(0, bytesMax), truncated: !ended || size > bytesMax }

const headersOf = ({ headers }: http.IncomingMessage): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")])
  )

/** Where a URL leads that was checked for a reach. */
interface Target {
  readonly secure: boolean
  /** Protocol, host, port and path. */
  readonly options: http.RequestOptions
}

/** How many URLs are remembered as checked: what is seen of one without resolving its name never changes. */
const targetsMax = 10_000

/** Where a URL leads; else says in words why it must not be reached. */
const makeTargets = () => {
  const known = new Map<string, Result.Result<Target, string>>()
  return (text: string, reach: Reach): Result.Result<Target, string> => {
    const name = `${reach.http} ${reach.local} ${text}`
    const there = known.get(name)
    if (there !== undefined) return there
    const target = Result.map(checkUrl(text, reach), (url) => ({
      secure: url.protocol === "https:",
      options: urlToHttpOptions(url)
    }))
    if (known.size >= targetsMax) known.clear()
    known.set(name, target)
    return target
  }
}

/** What the requests of a process share. */
interface Shared {
  readonly resolvers: HostResolvers
  readonly agents: Agents
  readonly targetOf: ReturnType<typeof makeTargets>
}

/** A request as it is handed to node. */
const optionsOf = (
  { body, chosenBy, headers, keepAlive, method, reach }: EgressRequest,
  { options, secure }: Target,
  { agents, resolvers }: Shared
): http.RequestOptions => ({
  ...options,
  method,
  headers: body === null ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
  agent: keepAlive && agents.of(reach, secure),
  lookup: checkedLookup(resolvers[chosenBy], reach)
})

/**
 * Sends a request, on a connection that was kept where there is one, and again on another where the host had closed that one: in the end there
 * is a new one. Two timers bound it, one for all of it and one until a new connection is there: a fiber for each would cost as much as the rest.
 */
const exchange = (request: EgressRequest, target: Target, shared: Shared): Effect.Effect<EgressResponse, EgressError> =>
  Effect.callback((resume) => {
    const options = optionsOf(request, target, shared)
    const progress: Progress = { head: undefined, chunks: [], size: 0, ended: false }
    let outgoing: http.ClientRequest | undefined
    let connecting: NodeJS.Timeout | undefined
    let isOver = false

    const end = (answer: Effect.Effect<EgressResponse, EgressError>): void => {
      if (isOver) return
      isOver = true
      clearTimeout(total)
      clearTimeout(connecting)
      resume(answer)
    }

    /** Gives what has come; undefined where nothing has. */
    const given = (): Effect.Effect<EgressResponse> | undefined => {
      const answer = answerOf(progress, request.responseBytesMax)
      return answer && Effect.succeed(answer)
    }

    // whoever answered has answered, even if the rest never came
    const failWith = (reason: "connect_timeout" | "timeout", detail: string) => {
      end(given() ?? Effect.fail(new EgressError({ reason, detail })))
      outgoing?.destroy()
    }

    const read = (incoming: http.IncomingMessage, from: http.ClientRequest): void => {
      const stop = () => end(given() ?? Effect.fail(errorOf(new Error("the connection was closed"))))
      progress.head = { status: incoming.statusCode ?? 0, headers: headersOf(incoming) }
      incoming.on("data", (chunk: Buffer) => {
        progress.chunks.push(chunk)
        progress.size += chunk.length
        if (progress.size <= request.responseBytesMax) return
        stop()
        from.destroy()
      })
      incoming.on("error", stop)
      incoming.on("close", () => {
        progress.ended = incoming.complete
        stop()
      })
    }

    const begin = (): void => {
      const own = (target.secure ? https : http).request(options)
      outgoing = own
      const fail = (error: Error): void => {
        if (isOver) return
        clearTimeout(connecting)
        const answer = given()
        if (answer !== undefined) return end(answer)
        // the host has closed a connection that was kept, before it took the request
        if (own.reusedSocket) return begin()
        return end(Effect.fail(errorOf(error)))
      }
      // a connection that was kept is there: only a new one is waited for
      own.on("socket", (socket) => {
        if (own.reusedSocket || !(target.secure || socket.connecting)) return
        const detail = `no connection within ${request.connectTimeoutMs} ms`
        connecting = setTimeout(() => failWith("connect_timeout", detail), request.connectTimeoutMs)
        socket.once(target.secure ? "secureConnect" : "connect", () => clearTimeout(connecting))
      })
      own.on("error", fail)
      own.on("response", (incoming) => read(incoming, own))
      own.end(request.body ?? undefined)
    }

    const detail = `no answer within ${request.totalTimeoutMs} ms`
    const total = setTimeout(() => failWith("timeout", detail), request.totalTimeoutMs)
    begin()
    return Effect.sync(() => {
      isOver = true
      clearTimeout(total)
      clearTimeout(connecting)
      outgoing?.destroy()
    })
  })

const send = (request: EgressRequest, shared: Shared): Effect.Effect<EgressResponse, EgressError> =>
  Effect.suspend(() => {
    const target = shared.targetOf(request.url, request.reach)
    return Result.isFailure(target)
      ? Effect.fail(new EgressError({ reason: "refused", detail: target.failure }))
      : exchange(request, target.success, shared)
  })

/** The guarded client over node:http and node:https. */
export const layer: Layer.Layer<Egress> = Layer.effect(
  Egress,
  Effect.gen(function* () {
    const shared: Shared = { resolvers: yield* HostResolver, agents: yield* makeAgents, targetOf: makeTargets() }
    return Egress.of({ send: (request) => send(request, shared) })
  })
)
