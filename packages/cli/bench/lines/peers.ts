import { serverCpuMicros } from "@bursar/simulator-postgres/serverCpu"
import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { loaded, openServer, withdrawal } from "../http.ts"
import { digits, type Figure, type Line, line, percent, whole } from "../line.ts"
import { blnk } from "../peers/blnk.ts"
import { formance } from "../peers/formance.ts"
import type { Missing, Peer } from "../peers/Peer.ts"
import { tigerbeetle } from "../peers/tigerbeetle.ts"
import { settings } from "../settings.ts"
import { openTenant, payments } from "../writer.ts"
import { type Databases, type Lines, writerOn } from "./Lines.ts"

const connections = [16, 64, 256] as const
const inBulk = 2

const missing = ({ name, variable }: Missing) =>
  line`${name} was not measured: ${variable} does not say where its program is (docs/contributing/peers.md)`

/** How many of these a peer stored, a second, and what each cost PostgreSQL; how many it refused. */
const stored = Effect.fnUntraced(function* (url: string, body: string, count: number, postmaster: number) {
  const before = serverCpuMicros(postmaster)
  const { answered, failed } = yield* loaded({ url, body, connections: count, seconds: settings.seconds })
  const after = serverCpuMicros(postmaster)
  const database: Figure | string = before === null || after === null ? "?" : whole((after - before) / answered)
  return { perSecond: answered / settings.seconds, refused: whole(failed), database }
})

/** Ours: withdrawals of one float over HTTP, and full operations of one float by callers in the process. */
const ours = Effect.fnUntraced(function* (server: Databases) {
  const url = Redacted.make(yield* server.ensureDatabase("ours"))
  yield* migrate({ url })
  return yield* Effect.gen(function* () {
    const { ask } = yield* openServer(settings.seconds, server.process.pid)
    const withdrawals = yield* Effect.forEach(connections, (count) =>
      ask("/v1/withdrawals", { connections: count, body: withdrawal })
    )
    const writer = yield* payments([yield* openTenant("hot")], 1_000, settings.seconds)
    return { withdrawals, writer: writer.perSecond }
  }).pipe(Effect.provide(writerOn(url)))
})

/** A peer beside our withdrawals with as many connections, and in bulk. */
const beside = Effect.fnUntraced(function* (
  peer: Peer | Missing,
  { withdrawals }: Effect.Success<ReturnType<typeof ours>>,
  postmaster: number
) {
  if ("variable" in peer) return [missing(peer)]
  const { bulk, name } = peer
  const lines: Array<Line> = []
  for (const [nth, count] of connections.entries()) {
    const { database, perSecond, refused } = yield* stored(peer.url, peer.body, count, postmaster)
    lines.push(
      line`${name}, one account, a hold and a fee, ${count} connections: ${whole(perSecond)}/s, ${refused} refused, ${database} µs of PostgreSQL each; POST /v1/withdrawals makes ${digits((withdrawals[nth]?.perSecond ?? 0) / perSecond, 1)} x as many`
    )
  }
  const many = yield* stored(bulk.url, bulk.body, inBulk, postmaster)
  return [
    ...lines,
    line`${name}, the same ${bulk.size} a request, ${inBulk} connections: ${whole(bulk.size * many.perSecond)}/s, ${many.refused} requests refused`
  ]
})

/** Other ledgers whose programs are found, one after the other, on the same PostgreSQL where they use one. */
export const peers: Lines = Effect.fnUntraced(function* (server) {
  const postmaster = server.process.pid
  const own = yield* ours(server)
  const onPostgres = yield* Effect.forEach([formance, blnk], (peer, nth) =>
    Effect.scoped(
      Effect.gen(function* () {
        return yield* beside(yield* peer(yield* server.ensureDatabase(`peer_${nth}`)), own, postmaster)
      })
    )
  )
  const beetle = yield* Effect.scoped(tigerbeetle)
  return [
    ...own.withdrawals.map(
      ({ each, perSecond }, nth) =>
        line`POST /v1/withdrawals, one float, ${connections[nth] ?? 0} connections: ${whole(perSecond)}/s, ${whole(each.database)} µs of PostgreSQL each`
    ),
    line`one hot float, 1,000 callers: ${whole(own.writer)} operations/s`,
    ...onPostgres.flat(),
    ...("variable" in beetle
      ? [missing(beetle)]
      : beetle.made.map(
          ({ batch, clients, perSecond }) =>
            line`TigerBeetle, one hot account, batches of ${batch}, ${clients} clients: ${whole(perSecond)} transfers/s; one hot float makes ${percent(own.writer, perSecond)} of it`
        ))
  ]
})
