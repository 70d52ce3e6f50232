import { Data, Effect, type Fiber, Layer, Result } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { LookupFunction } from "node:net"
import { type HostAddress, HostResolver } from "./HostResolver.ts"
import { Egress, type EgressResponse, EgressError, type EgressRequest } from "./Egress.ts"
import { type Agents, makeAgents } from "./keptConnections.ts"
import { checkUrl, mayConnect, type Reach } from "./Reach.ts"

type Resolve = (host: string) => Promise<ReadonlyArray<HostAddress>>

/** An address behind the name must not be reached. */
class AddressRefused extends Error {}

/**
 * The lookup of one connection: the addresses that it checks are the ones that node:net connects to, so a name that
 * resolves differently the next time gains nothing. One address that must not be reached refuses the name.
 */
const checkedLookup =
  (resolve: Resolve, reach: Reach): LookupFunction =>
  (host, options, callback) => {
    const answer = (addresses: ReadonlyArray<HostAddress>): void => {
      const [first] = addresses
      const bad = addresses.find(({ address }) => !mayConnect(address, reach))
      if (first === undefined) callback(new Error(`${host} has no address`), [])
      else if (bad !== undefined)
        callback(new AddressRefused(`${host} resolves to ${bad.address}, which is not a public address`), [])
      else if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    resolve(host).then(answer, (error: unknown) =>
      callback(error instanceof Error ? error : new Error(String(error)), [])
    )
  }

const errorOf = (error: Error & { readonly code?: string; readonly syscall?: string }): EgressError => {
  if (error instanceof AddressRefused) return new EgressError({ reason: "refused", detail: error.message })
  const reason = error.syscall === "getaddrinfo" ? "unresolved" : "unreachable"
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

/** A connection that was kept was closed by the host before it took the request. */
class KeptConnectionClosed extends Data.TaggedError("KeptConnectionClosed") {}

/** What the requests of a process share. */
interface Shared {
  readonly resolve: Resolve
  readonly agents: Agents
}

const exchange = (
  request: EgressRequest,
  url: URL,
  { agents, progress, resolve }: Shared & { readonly progress: Progress }
): Effect.Effect<EgressResponse, EgressError | KeptConnectionClosed> =>
  Effect.withFiber(({ context }) =>
    Effect.callback<EgressResponse, EgressError | KeptConnectionClosed>((resume) => {
      const finish = (error?: Error): void => {
        const answer = answerOf(progress, request.responseBytesMax)
        if (answer !== undefined) return resume(Effect.succeed(answer))
        resume(
          Effect.fail(
            outgoing.reusedSocket
              ? new KeptConnectionClosed()
              : errorOf(error ?? new Error("the connection was closed"))
          )
        )
      }
      const secure = url.protocol === "https:"
      const outgoing = (secure ? https : http).request(url, {
        method: request.method,
        headers: {
          ...request.headers,
          ...(request.body === null ? {} : { "content-length": Buffer.byteLength(request.body) })
        },
        agent: request.keepAlive && agents.of(request.reach, secure),
        lookup: checkedLookup(resolve, request.reach)
      })
      let tooLong: Fiber.Fiber<void> | undefined
      // a connection that was kept is there: only a new one is waited for
      outgoing.on("socket", (socket) => {
        if (outgoing.reusedSocket || !(secure || socket.connecting)) return
        const detail = `no connection within ${request.connectTimeoutMs} ms`
        tooLong = Effect.runForkWith(context)(
          Effect.andThen(
            Effect.sleep(request.connectTimeoutMs),
            Effect.sync(() => {
              resume(Effect.fail(new EgressError({ reason: "connect_timeout", detail })))
              outgoing.destroy()
            })
          )
        )
        socket.once(secure ? "secureConnect" : "connect", () => tooLong?.interruptUnsafe())
      })
      outgoing.on("error", (error) => finish(error))
      outgoing.on("response", (incoming) => {
        progress.head = { status: incoming.statusCode ?? 0, headers: headersOf(incoming) }
        incoming.on("data", (chunk: Buffer) => {
          progress.chunks.push(chunk)
          progress.size += chunk.length
          if (progress.size <= request.responseBytesMax) return
          finish()
          outgoing.destroy()
        })
        incoming.on("error", () => finish())
        incoming.on("close", () => {
          progress.ended = incoming.complete
          finish()
        })
      })
      outgoing.end(request.body ?? undefined)
      outgoing.on("close", () => tooLong?.interruptUnsafe())
      return Effect.sync(() => outgoing.destroy())
    })
  )

const send = Effect.fnUntraced(function* (request: EgressRequest, shared: Shared) {
  const url = checkUrl(request.url, request.reach)
  if (Result.isFailure(url)) return yield* new EgressError({ reason: "refused", detail: url.failure })
  const progress: Progress = { head: undefined, chunks: [], size: 0, ended: false }
  const once = exchange(request, url.success, { ...shared, progress })
  return yield* once.pipe(
    // each that was kept may be closed; in the end there is a new one
    Effect.retry({ while: ({ _tag }) => _tag === "KeptConnectionClosed" }),
    Effect.catchTag("KeptConnectionClosed", Effect.die),
    Effect.timeoutOrElse({
      duration: request.totalTimeoutMs,
      orElse: () => {
        // whoever answered has answered, even if the rest never came
        const answer = answerOf(progress, request.responseBytesMax)
        return answer === undefined
          ? Effect.fail(new EgressError({ reason: "timeout", detail: `no answer within ${request.totalTimeoutMs} ms` }))
          : Effect.succeed(answer)
      }
    })
  )
})

/** The guarded client over node:http and node:https. */
export const layer: Layer.Layer<Egress> = Layer.effect(
  Egress,
  Effect.gen(function* () {
    const resolve = yield* HostResolver
    const agents = yield* makeAgents
    return Egress.of({ send: (request) => send(request, { resolve, agents }) })
  })
)
