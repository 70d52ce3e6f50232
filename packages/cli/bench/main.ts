import { layer as writerLayer } from "@bursar/core/engine/Writer"
import { layer as postgresLayer, migrate } from "@bursar/postgres"
import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Redacted, type Scope } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { books } from "./books.ts"
import { checker } from "./checker.ts"
import { ingest } from "./deposits.ts"
import { consoleFrames } from "./console.ts"
import { derivations } from "./derive.ts"
import { requests, type Served } from "./http.ts"
import { reconciliation } from "./reconciliation.ts"
import { round } from "./measure.ts"
import { reads } from "./reads.ts"
import { payouts } from "./payouts.ts"
import { scan } from "./scan.ts"
import { search } from "./search.ts"
import { signing } from "./signing.ts"
import { solvency } from "./solvency.ts"
import { tpcb } from "./tpcb.ts"
import { behindTip } from "./behindTip.ts"
import { compare } from "./readers/compare.ts"
import { largest } from "./readers/largest.ts"
import { shapes } from "./readers/shapes.ts"
import { webhooks } from "./webhooks.ts"
import { openTenant, payments } from "./writer.ts"

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

const secondsEach = setting("BENCH_SECONDS", 10)
const scanBlocks = setting("BENCH_SCAN_BLOCKS", 10_000)
const scanAddresses = setting("BENCH_SCAN_ADDRESSES", 1_000_000)
const payoutsCount = setting("BENCH_PAYOUTS", 1_000)
const signatures = setting("BENCH_SIGNATURES", 500)
const webhookEvents = setting("BENCH_WEBHOOK_EVENTS", 5_000)
const readOperations = setting("BENCH_READ_OPERATIONS", 1_000_000)
const checkedOperations = setting("BENCH_CHECKED_OPERATIONS", 500_000)
const bookLegs = setting("BENCH_BOOK_LEGS", 1_000_000)
const solvencyLeaves = setting("BENCH_LEAVES", 1_000_000)
const reconciledLegs = setting("BENCH_RECONCILED_LEGS", 1_000_000)
const searchedOperations = setting("BENCH_SEARCHED_OPERATIONS", 1_000_000)
const listedOperations = setting("BENCH_LISTED_OPERATIONS", 100_000)
const tipBlocks = setting("BENCH_TIP_BLOCKS", 20)

type Databases = EmbeddedPostgres.EmbeddedPostgres

/** Payouts of one wallet beside a loop of viem's, on databases of their own. */
const payoutsRow = Effect.fnUntraced(function* (server: Databases) {
  const database = Effect.fnUntraced(function* (name: string) {
    const url = yield* server.ensureDatabase(name)
    yield* migrate({ url: Redacted.make(url) })
    return { url, pid: server.process.pid }
  })
  const databases = { signer: yield* database("payouts"), worker: yield* database("payouts_keys") }
  const { inProcess, oneByOne, service, sixteen } = yield* payouts(databases, payoutsCount)
  const { blocks, each, perSecond, posted, slowestMs } = service
  const share = (loop: number) => `${((100 * perSecond) / loop).toFixed(0)} %`
  yield* Console.log(
    `${round(payoutsCount)} transfers by a bare loop, to the last block: ${round(oneByOne)}/s one by one, ${round(sixteen)}/s 16 at once`
  )
  yield* Console.log(
    `${round(payoutsCount)} chain payouts of one wallet, from the first request to the last block: ${round(perSecond)}/s ` +
      `in ${blocks} blocks, ${share(oneByOne)} and ${share(sixteen)} of the loop; ` +
      `posted at once: ${round(posted)}/s, the slowest answer after ${(slowestMs / 1_000).toFixed(1)} s`
  )
  const spent = each.map(({ micros, name }) => `${round(micros)} µs of the ${name}`)
  yield* Console.log(`the processor of each of these payouts, until it is settled: ${spent.join(", ")}`)
  yield* Console.log(
    `the same with the keys in the worker: ${round(inProcess.perSecond)}/s; a signer of its own makes ${((100 * perSecond) / inProcess.perSecond).toFixed(0)} % of it`
  )
})

/** The signer in this process beside the same one through its socket, on a database of its own. */
const signingRow = Effect.fnUntraced(function* (url: string) {
  yield* migrate({ url: Redacted.make(url) })
  const { here, socket } = yield* signing(url, signatures)
  const say = ({ medianMs, perSecond, processorMs }: typeof here) =>
    `p50 ${medianMs.toFixed(1)} ms, ${round(perSecond)}/s 16 at once, ${processorMs.toFixed(2)} ms of processor each`
  yield* Console.log(`signing in the process: ${say(here)}`)
  yield* Console.log(
    `signing over the socket: ${say(socket)}, ${((100 * socket.perSecond) / here.perSecond).toFixed(0)} % of in-process`
  )
})

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

/** Every reader beside the client library that it stands on, and the largest block. */
const readersRows = Effect.gen(function* () {
  for (const shape of shapes) {
    const { bare, bytes, holds, network, read, transfers } = yield* Effect.scoped(
      Effect.flatMap(shape, (one) => compare(one, secondsEach))
    )
    yield* Console.log(
      `a block of ${network} (${holds}; ${mib(bytes)} MiB, ${round(transfers)} transfers): read ${read.toFixed(1)}/s, ` +
        `decoded by the bare library ${bare.toFixed(1)}/s, ${((100 * read) / bare).toFixed(0)} %`
    )
  }
  const { bytes, gas, peakMiB, tookMs, transactions } = yield* largest
  yield* Console.log(
    `a block of ethereum of ${round(gas / 1_000_000)} million gas (${transactions} transactions, ${mib(bytes)} MiB): ` +
      `read in ${(tookMs / 1_000).toFixed(1)} s, at most ${round(peakMiB)} MiB more than before`
  )
})

/** Exports of a whole book, on a database of its own. */
const booksRows = Effect.fnUntraced(function* (url: string) {
  yield* migrate({ url: Redacted.make(url) })
  const services = writerLayer.pipe(
    Layer.provideMerge(postgresLayer({ url: Redacted.make(url), maxConnections: 16, applicationName: "bench" }))
  )
  const { postings, read, written } = yield* Effect.provide(books(url, bookLegs), services)
  yield* Console.log(
    `${round(bookLegs)} legs in ${round(postings)} postings: read in ${read.seconds.toFixed(1)} s, ${round(bookLegs / read.seconds)} legs/s`
  )
  for (const { bytes, cpuSeconds, format, peakMiB, seconds } of written) {
    yield* Console.log(
      `the same written as ${format}: ${(seconds / read.seconds).toFixed(2)} x the time of reading it, ` +
        `${((1_000_000 * cpuSeconds) / bookLegs).toFixed(1)} µs of processor a leg, ${mib(bytes)} MiB, at most ${round(peakMiB)} MiB of memory`
    )
  }
})

/** Trees of proofs of solvency, on a database of its own. */
const solvencyRow = Effect.fnUntraced(function* (url: string) {
  const { few, many } = yield* solvency(url, solvencyLeaves)
  const perSecond = ({ grownSeconds, leaves }: typeof few) => leaves / grownSeconds
  yield* Console.log(
    `a proof of solvency of ${round(many.leaves)} leaves: grown and stored at ${round(perSecond(many))} leaves/s, ` +
      `${(perSecond(few) / perSecond(many)).toFixed(2)} x the time a leaf that ${round(few.leaves)} take, ` +
      `grown again in ${many.checkedSeconds.toFixed(1)} s; at most ${round(many.peakMiB)} MiB of memory, ` +
      `${(many.peakMiB / few.peakMiB).toFixed(2)} x that of ${round(few.leaves)}`
  )
})

/** Reconciliation of many legs, on a database of its own. */
const reconciliationRow = Effect.fnUntraced(function* (url: string) {
  const { few, many } = yield* reconciliation(url, reconciledLegs)
  yield* Console.log(
    `books of ${round(many.legs)} legs compared with a custodian in ${(many.comparedSeconds * 1_000).toFixed(0)} ms, ` +
      `${round(few.legs)} in ${(few.comparedSeconds * 1_000).toFixed(0)} ms; the oldest line that explains a break named in ` +
      `${many.namedSeconds.toFixed(2)} s, ${(many.namedSeconds / few.namedSeconds).toFixed(2)} x the time of ${round(few.legs)}; at most ` +
      `${round(many.peakMiB)} MiB of memory, ${(many.peakMiB / few.peakMiB).toFixed(2)} x that of ${round(few.legs)}`
  )
})

const tipRow = Effect.fnUntraced(function* (url: string) {
  const { blocks, median, slowest } = yield* behindTip(url, scanAddresses, tipBlocks)
  yield* Console.log(
    `${round(blocks)} blocks, one every 3 s, against ${round(scanAddresses)} addresses: recorded ${(median / 1_000).toFixed(2)} s ` +
      `after the block is there, the slowest after ${(slowest / 1_000).toFixed(2)} s; the node is asked every second`
  )
})

/** The writer and what stands directly on it, beside TPC-B. */
const writerRows = Effect.fnUntraced(function* (server: Databases) {
  const url = Redacted.make(yield* server.ensureDatabase("bursar"))
  yield* migrate({ url })
  const baseline = yield* tpcb(yield* server.ensureDatabase("tpcb"), secondsEach)
  yield* Console.log(`TPC-B, 16 clients, by ${baseline.by}: ${round(baseline.tps)} transactions/s`)
  const services = writerLayer.pipe(
    Layer.provideMerge(postgresLayer({ url, maxConnections: 16, applicationName: "bench" }))
  )
  yield* Effect.gen(function* () {
    const hot = yield* openTenant("hot")
    yield* payments([hot], 64, 2)
    for (const callers of [16, 64, 256, 1000]) {
      const { perSecond } = yield* payments([hot], callers, secondsEach)
      yield* Console.log(
        `one hot float, ${callers} callers: ${round(perSecond)} operations/s, ${(perSecond / baseline.tps).toFixed(1)} x TPC-B`
      )
    }
    const many = yield* Effect.all(Array.from({ length: 20 }, (_, index) => openTenant(`many-${index}`)))
    const { perSecond } = yield* payments(many, 256, secondsEach)
    yield* Console.log(
      `20 tenants, 256 callers: ${round(perSecond)} operations/s, ${(perSecond / baseline.tps).toFixed(1)} x TPC-B`
    )
    const deposits = yield* ingest(yield* openTenant("deposits"), secondsEach)
    yield* Console.log(`deposits, found in a block to credited: ${round(deposits.perSecond)}/s`)
    for (const network of ["ethereum", "bitcoin"] as const) {
      const { bare, derived } = yield* derivations(yield* openTenant(`derive-${network}`), network, secondsEach)
      yield* Console.log(`bare derivation of ${network} addresses in a loop: ${round(bare)}/s`)
      yield* Console.log(
        `derived and registered on ${network}, 100 a request: ${round(derived)}/s, ${((100 * derived) / bare).toFixed(0)} % of the loop`
      )
    }
  }).pipe(Effect.provide(services))
})

/** Every read of many rows beside the same of few, on databases of their own. */
const readsRow = Effect.fnUntraced(function* (server: Databases) {
  const urls = [yield* server.ensureDatabase("reads_few"), yield* server.ensureDatabase("reads_many")] as const
  const found = yield* reads(urls, [Math.ceil(readOperations / 100), readOperations])
  const rows = `${round(2 * readOperations)} legs, ${round(2 * readOperations)} events, ${round(readOperations)} operations`
  for (const { few, many, name } of found)
    yield* Console.log(
      `${name}, of ${rows}: ${many.pages} pages, ${(many.pages / few.pages).toFixed(2)} x those of a hundredth; ` +
        `p50 ${many.medianMs.toFixed(1)} ms, ${(many.medianMs / few.medianMs).toFixed(2)} x; p99 ${many.p99Ms.toFixed(1)} ms`
    )
})

/** Events of a backlog, delivered to a local receiver. */
const webhookRows = Effect.fnUntraced(function* (server: Databases) {
  const url = yield* server.ensureDatabase("webhooks")
  yield* migrate({ url: Redacted.make(url) })
  const services = writerLayer.pipe(
    Layer.provideMerge(postgresLayer({ url: Redacted.make(url), maxConnections: 16, applicationName: "bench" }))
  )
  yield* Effect.gen(function* () {
    for (const [endpoints, events] of [
      [1, webhookEvents],
      [20, Math.ceil(webhookEvents / 4)]
    ] as const) {
      const { perSecond, serverMicros, workerMicros } = yield* webhooks(endpoints, events, server.process.pid)
      yield* Console.log(
        `webhooks to a local receiver, ${endpoints} endpoint${endpoints === 1 ? "" : "s"}: ${round(perSecond)}/s, ` +
          `${round(workerMicros)} µs of the worker's processor each and ${serverMicros === null ? "?" : round(serverMicros)} µs of PostgreSQL's`
      )
    }
  }).pipe(Effect.provide(services))
})

/** The checker over many operations and over a tenth of them. */
const checkerRow = Effect.fnUntraced(function* (server: Databases) {
  const few = yield* checker(yield* server.ensureDatabase("checked_few"), Math.ceil(checkedOperations / 10))
  const many = yield* checker(yield* server.ensureDatabase("checked_many"), checkedOperations)
  const micros = ({ cpuSeconds, operations }: typeof few) => (1_000_000 * cpuSeconds) / operations
  yield* Console.log(
    `${round(many.operations)} operations with their legs, events and deposits checked in ${many.seconds.toFixed(1)} s: ` +
      `${micros(many).toFixed(1)} µs of processor an operation, ${(micros(many) / micros(few)).toFixed(2)} x that of ` +
      `${round(few.operations)}; at most ${round(many.peakMiB)} MiB of memory, ${round(few.peakMiB)} MiB for ${round(few.operations)}`
  )
})

/** Processor time of a request. */
const processor = ({ each }: Served): string =>
  `${round(each.server)} µs of processor each, and ${round(each.database)} µs of PostgreSQL`

/** Requests over HTTP, reads beside a bare server and writes beside TPC-B. */
const httpRows = Effect.fnUntraced(function* (server: Databases) {
  const url = Redacted.make(yield* server.ensureDatabase("http"))
  yield* migrate({ url })
  const { by, tps } = yield* tpcb(yield* server.ensureDatabase("tpcb_http"), secondsEach)
  yield* Console.log(`TPC-B beside HTTP, 16 clients, by ${by}: ${round(tps)} transactions/s`)
  const services = writerLayer.pipe(
    Layer.provideMerge(postgresLayer({ url, maxConnections: 16, applicationName: "bench" }))
  )
  const {
    float,
    listed,
    payouts: paid,
    register,
    withdrawals
  } = yield* Effect.provide(requests(secondsEach, server.process.pid), services)
  const share = (one: number, all: number) => `${((100 * one) / all).toFixed(0)} %`
  for (const { baseline, count, served } of float) {
    yield* Console.log(
      `bare node:http server, ${count} connections: ${round(baseline.perSecond)} requests/s, ${baseline.each.server.toFixed(0)} µs of processor each`
    )
    yield* Console.log(
      `GET /v1/float: ${round(served.perSecond)} requests/s, ${share(served.perSecond, baseline.perSecond)} of a bare server, ` +
        `with ${count} connections; ${share(baseline.each.server, served.each.server)} by processor, ${processor(served)}`
    )
  }
  for (const { path, rows, served } of listed)
    yield* Console.log(
      `GET ${path}: ${round(served.perSecond)} requests/s, ${(served.each.server / rows).toFixed(1)} µs of processor a row; ${processor(served)}`
    )
  for (const { count, served } of withdrawals)
    yield* Console.log(
      `POST /v1/withdrawals: ${round(served.perSecond)} operations/s, ${(served.perSecond / tps).toFixed(1)} x TPC-B, ` +
        `with ${count} connections; ${processor(served)}`
    )
  yield* Console.log(`POST /v1/chain-payouts, signed: ${round(paid.perSecond)} operations/s; ${processor(paid)}`)
  yield* Console.log(`POST /v1/deposit-addresses: ${round(register.perSecond)} requests/s; ${processor(register)}`)
})

/** Blocks read against few and many addresses. */
const scanRows = Effect.fnUntraced(function* (server: Databases) {
  const databases = { few: yield* server.ensureDatabase("few"), many: yield* server.ensureDatabase("many") }
  const { depositsFound, few, grewMiB, many } = yield* scan(databases, scanAddresses, scanBlocks)
  yield* Console.log(
    `scan of ${round(scanBlocks)} blocks of 200 transfers, ${round(scanAddresses / 10)} addresses: ${round(few)} blocks/s`
  )
  yield* Console.log(
    `the same against ${round(scanAddresses)} addresses: ${round(many)} blocks/s, ${(few / many).toFixed(2)} x the time; ` +
      `${round(depositsFound)} deposits found, the process grew by ${round(grewMiB)} MiB`
  )
})

/** Scrolling in the console, in Chromium. */
const consoleRow = Effect.fnUntraced(function* (url: string) {
  const found = yield* consoleFrames(url, listedOperations)
  if ("skipped" in found) return yield* Console.log(`the console was not measured: it ${found.skipped}`)
  const { longTasks, longestMs, medianMs, p99Ms, rows } = found
  return yield* Console.log(
    `the console, scrolled to row ${round(rows)} of ${round(listedOperations)} operations: a frame took ${medianMs.toFixed(0)} ms, ` +
      `p99 ${p99Ms.toFixed(0)} ms, at most ${longestMs.toFixed(0)} ms; ${longTasks} tasks above 50 ms`
  )
})

/** Searches of operators among many operations, on a database of its own. */
const searchRows = Effect.fnUntraced(function* (url: string) {
  for (const { by, medianMs, p95Ms } of yield* search(url, searchedOperations)) {
    yield* Console.log(
      `a search by ${by} among ${round(searchedOperations)} operations: p50 ${medianMs.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`
    )
  }
})

/** On a database of its own. */
const onDatabase =
  <E, R>(name: string, row: (url: string) => Effect.Effect<void, E, R>) =>
  (server: Databases) =>
    Effect.flatMap(server.ensureDatabase(name), row)

/** What can be measured, in the order in which all of it is. */
const rows = {
  writer: writerRows,
  webhooks: webhookRows,
  reads: readsRow,
  checker: checkerRow,
  http: httpRows,
  payouts: payoutsRow,
  signing: onDatabase("signing", signingRow),
  books: onDatabase("books", booksRows),
  solvency: onDatabase("solvency", solvencyRow),
  reconciliation: onDatabase("reconciliation", reconciliationRow),
  readers: () => readersRows,
  search: onDatabase("search", searchRows),
  console: onDatabase("console", consoleRow),
  tip: onDatabase("tip", tipRow),
  scan: scanRows
}

/** Measures what the arguments name, and everything where they name nothing. */
const bench = Effect.gen(function* () {
  const named = process.argv.slice(2)
  const unknown = named.find((name) => !(name in rows))
  if (unknown !== undefined) {
    yield* Console.error(`There is no row "${unknown}". There are: ${Object.keys(rows).join(", ")}.`)
    process.exitCode = 2
    return
  }
  const dataDir = mkdtempSync(join(tmpdir(), "bursar-bench-"))
  const server = yield* EmbeddedPostgres.make({ dataDir, persistent: false })
  const chosen = Object.entries<(server: Databases) => Effect.Effect<void, unknown, Scope.Scope>>(rows)
  for (const [name, row] of chosen) {
    if (named.length === 0 || named.includes(name)) yield* Effect.scoped(row(server))
  }
}).pipe(Effect.scoped)

if (import.meta.main) NodeRuntime.runMain(bench)
