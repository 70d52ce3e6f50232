import type { Book } from "@bursar/books/Book"
import { formats } from "@bursar/books/formats"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Journal } from "@bursar/core/store/Journal"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as postgresLayer } from "@bursar/postgres"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted, Stream } from "effect"

/** What to write: a format, or the postings alone, which are read and thrown away. */
export type Written = "entries" | keyof typeof formats

/** What writing a whole book took. */
export interface WroteBook {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly bytes: number
  /** The most memory that the process had. */
  readonly peakMiB: number
}

const write = Effect.fnUntraced(function* (tenantId: string, what: Written) {
  const journal = yield* Journal
  const id = TenantId(tenantId)
  const through = yield* journal.lastPosting(id)
  const range = { after: 0, through }
  if (what === "entries") {
    yield* Stream.runDrain(journal.entries(id, range))
    return 0
  }
  const book: Book = {
    tenant: { id, name: "books", slug: "books" },
    currencies: defaultCurrencies,
    range,
    from: yield* Effect.map(journal.firstAfter(id, 0), (first = 0) => first),
    to: yield* Effect.map(journal.firstAfter(id, through - 1), (last = 0) => last),
    opening: [],
    closing: yield* journal.balancesAt(id, through)
  }
  const text = formats[what].write(book, (after, filter) => journal.entries(id, { after, through }, filter))
  return yield* Stream.runFold(
    Stream.encodeText(text),
    () => 0,
    (sum, chunk) => sum + chunk.length
  )
})

const isFormat = (text: string): text is keyof typeof formats => text in formats

// A process of its own, which tells its own peak: the database, the tenant and the format are its arguments.
const run = Effect.gen(function* () {
  const [url = "", tenantId = "", format = ""] = process.argv.slice(2)
  const started = performance.now()
  const services = postgresLayer({ url: Redacted.make(url), maxConnections: 2, applicationName: "bench-books" })
  const bytes = yield* Effect.provide(write(tenantId, isFormat(format) ? format : "entries"), services)
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  const wrote: WroteBook = {
    seconds: (performance.now() - started) / 1_000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000,
    bytes,
    peakMiB: maxRSS / 1_024
  }
  yield* Console.log(JSON.stringify(wrote))
})

if (import.meta.main) NodeRuntime.runMain(run)
