import { keysAt } from "@bursar/testkit/fixtures/deposits"
import type { Fence } from "@bursar/core/engine/fenced"
import { layer as writerLayer } from "@bursar/core/engine/Writer"
import { localCurrencies } from "../test/support/localCurrencies.ts"
import { Leadership } from "@bursar/core/port/Leadership"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as postgresLayer, migrate } from "@bursar/postgres"
import { pass } from "@bursar/worker/watch/pass"
import { makeRecentBlocks } from "@bursar/worker/watch/RecentBlocks"
import type { Watch } from "@bursar/worker/watch/Watch"
import { defaultWatchLimits } from "@bursar/worker/watch/WatchLimits"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { addressOf, firstBlockTime, makeSyntheticChain } from "./syntheticChain.ts"
import { openTenant } from "./writer.ts"

const transfersPerBlock = 200

/** Every so many blocks hold one deposit. */
const blocksPerDeposit = 10

const watched = (n: number): string => addressOf(`watched ${n}`)

/** Addresses of a tenant with their places in the directory, `watched(0)` to `watched(count - 1)`, as rows. */
const watchAddresses = Effect.fnUntraced(function* (tenantId: TenantId, count: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`insert into address (tenant_id, address_id, network, address, reference, origin, watch_from, created_at)
    select ${tenantId}, gen_random_uuid(), 'ethereum', '0x' || digest || left(digest, 8), 'bench-' || n, 'REGISTERED', at, at
    from generate_series(0, ${count - 1}::int) n, md5('watched ' || n) digest, to_timestamp(${firstBlockTime / 1000}::float8) at`
  yield* sql`insert into address_directory (address, network, tenant_id, address_id, claimed_at)
    select address, network, tenant_id, address_id, created_at from address`
  yield* sql`vacuum analyze address`
  yield* sql`vacuum analyze address_directory`
})

/** Takes the leadership of a network, which nobody else wants here. */
const takeFence = Effect.gen(function* () {
  const leadership = yield* Leadership
  const elected = yield* Deferred.make<Fence>()
  const term = yield* Effect.forkChild(
    leadership.lead("watch:ethereum", (fence) => Effect.andThen(Deferred.succeed(elected, fence), Effect.never))
  )
  const fence = yield* Deferred.await(elected)
  yield* Fiber.interrupt(term)
  return fence
})

/** A watcher over a database of its own in which so many addresses are watched, and the hand that lets it read on. */
export const watcher = Effect.fnUntraced(function* (url: string, addresses: number, blocks: number | (() => number)) {
  const connection = { url: Redacted.make(url) }
  yield* migrate(connection)
  const own = yield* Layer.build(
    Layer.merge(
      PgClient.layer({ ...connection, startupParameters: { statement_timeout: "0" } }),
      writerLayer.pipe(
        Layer.provideMerge(postgresLayer({ ...connection, maxConnections: 8, applicationName: "bench scan" }))
      )
    )
  )
  const [token] = localCurrencies.contracts("ethereum")
  if (token === undefined) return yield* Effect.die(new Error("no token is known on ethereum"))
  const chain = makeSyntheticChain({
    blocks,
    transfersPerBlock,
    contract: token,
    // a stride that shares no factor with powers of ten reaches all over the addresses
    paidIn: (block) => (block % blocksPerDeposit === 0 ? watched((block * 7_919) % addresses) : undefined)
  })
  const watch = yield* Effect.gen(function* () {
    yield* watchAddresses((yield* openTenant("scan")).id, addresses)
    const made: Watch = {
      chain: chain.reader,
      accountOf: undefined,
      keysOf: keysAt,
      fence: yield* takeFence,
      currencies: localCurrencies,
      limits: defaultWatchLimits,
      recent: makeRecentBlocks(defaultWatchLimits.rereadBlocksMax),
      mempool: undefined,
      secondNode: undefined,
      begun: { at: null },
      waiting: { deposits: 0, wallets: 0 },
      unreadTries: new Map(),
      failingBackfills: new Map(),
      failingOrders: new Map(),
      reread: new Map()
    }
    return made
  }).pipe(Effect.provide(own))
  let [tookMs, passes] = [0, 0]
  return {
    /** The watcher's own pass over the next blocks; false after the last. The first, which also finds its start, is not timed. */
    next: Effect.gen(function* () {
      const [started, making] = [performance.now(), chain.makingMs()]
      const { busy, problem } = yield* pass(watch, yield* chain.reader.tip)
      if (problem !== null) return yield* Effect.die(new Error(problem.text))
      if (passes > 0) tookMs += performance.now() - started - (chain.makingMs() - making)
      passes += 1
      return busy
    }).pipe(Effect.provide(own)),
    /** Of so many blocks that were read. */
    blocksPerSecond: (read: number) => ((read - defaultWatchLimits.blocksPerPassMax) * 1000) / tookMs,
    /** Deposits that were found and confirmed. */
    found: Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [row] = yield* sql<{
        readonly count: bigint
      }>`select count(*) as count from deposit where status = 'CONFIRMED'`
      return Number(row?.count)
    }).pipe(Effect.provide(own))
  }
})

/** How fast two watchers read the same chain, one of which watches ten times as many addresses. */
export interface Scan {
  /** Blocks per second with a tenth of the addresses, and with all. */
  readonly few: number
  readonly many: number
  readonly depositsFound: number
  /** What the process grew by meanwhile, in MiB. */
  readonly grewMiB: number
}

/**
 * Reads a chain of `blocks` blocks with 200 transfers each against `addresses` watched addresses, and against a tenth of
 * them in another database, as the worker does it: pass by pass, every deposit recorded, confirmed and the cursor stored. The
 * two take turns, so that what else the machine does is the same for both.
 */
export const scan = Effect.fnUntraced(
  function* (urls: { readonly few: string; readonly many: string }, addresses: number, blocks: number) {
    const few = yield* watcher(urls.few, Math.ceil(addresses / 10), blocks)
    const many = yield* watcher(urls.many, addresses, blocks)
    const before = process.memoryUsage.rss()
    let [fewBusy, manyBusy] = [true, true]
    while (fewBusy || manyBusy) {
      if (fewBusy) fewBusy = yield* few.next
      if (manyBusy) manyBusy = yield* many.next
    }
    // from block 0 on; the newest two are not deep enough
    const expected = Math.floor((blocks - 2) / blocksPerDeposit) + 1
    const depositsFound = yield* many.found
    if (depositsFound !== expected) {
      return yield* Effect.die(new Error(`${depositsFound} of ${expected} deposits were found and confirmed`))
    }
    return {
      few: few.blocksPerSecond(blocks),
      many: many.blocksPerSecond(blocks),
      depositsFound,
      grewMiB: (process.memoryUsage.rss() - before) / 2 ** 20
    } satisfies Scan
  },
  Effect.provide(Logger.layer([]))
)
