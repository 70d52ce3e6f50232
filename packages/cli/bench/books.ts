import { Writer } from "@bursar/core/engine/Writer"
import { Journal } from "@bursar/core/store/Journal"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { WroteBook, Written } from "./books/writeBook.ts"
import { paymentOnce } from "./payment.ts"
import { openTenant } from "./writer.ts"

/** Legs of one payment. */
const legsEach = 2

/** The heap that a process which writes books may have, in MiB: one that gathers what it reads fails. */
const heapMiB = 128

/** Makes a tenant with so many legs. */
const fill = Effect.fnUntraced(function* (legs: number) {
  const tenant = yield* openTenant("books")
  const writer = yield* Writer
  const payments = Array.from({ length: Math.ceil(legs / legsEach) })
  yield* Effect.forEach(payments, () => writer.submit(tenant.id, paymentOnce(crypto.randomUUID())), {
    concurrency: 1_000,
    discard: true
  })
  return tenant
})

const inChild = (url: string, tenantId: string, what: Written) =>
  Effect.callback<WroteBook>((resume) => {
    const file = fileURLToPath(new URL("./books/writeBook.ts", import.meta.url))
    const heap = `--max-old-space-size=${heapMiB}`
    execFile(process.execPath, [...process.execArgv, heap, file, url, tenantId, what], (error, stdout) => {
      // it prints that and nothing else
      resume(error === null ? Effect.succeed(JSON.parse(stdout) as WroteBook) : Effect.die(error))
    })
  })

/** What it takes to write a tenant's whole book in each format, beside reading its postings and throwing them away. */
export const books = Effect.fnUntraced(function* (url: string, legs: number) {
  const tenant = yield* fill(legs)
  const postings = yield* (yield* Journal).lastPosting(tenant.id)
  const read = yield* inChild(url, tenant.id, "entries")
  const written = yield* Effect.forEach(["hledger", "beancount", "csv", "jsonl"] as const, (format) =>
    Effect.map(inChild(url, tenant.id, format), (wrote) => ({ format, ...wrote }))
  )
  return { postings, read, written }
})
