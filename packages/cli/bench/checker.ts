import type { Tenant } from "@bursar/core/tenant/Tenant"
import { layer as writerLayer } from "@bursar/core/engine/Writer"
import { layer as layerPostgres, migrate } from "@bursar/postgres"
import { Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Checked } from "./checker/checkBooks.ts"
import { ingest } from "./deposits.ts"
import { openTenant } from "./writer.ts"

/** The heap of the process that checks: it must do, however many operations there are. */
const heapMiB = 128

const inChild = (url: string, tenant: Tenant, operations: number) =>
  Effect.callback<Checked>((resume) => {
    const file = fileURLToPath(new URL("./checker/checkBooks.ts", import.meta.url))
    const heap = `--max-old-space-size=${heapMiB}`
    execFile(
      process.execPath,
      [...process.execArgv, heap, file, url, tenant.id, String(operations)],
      (error, stdout) => {
        // it prints that and nothing else
        resume(error === null ? Effect.succeed(JSON.parse(stdout) as Checked) : Effect.die(error))
      }
    )
  })

/** Checks the books of a tenant with so many credited deposits, in a process of its own. */
export const checker = Effect.fnUntraced(function* (url: string, operations: number) {
  yield* migrate({ url: Redacted.make(url) })
  const services = writerLayer.pipe(
    Layer.provideMerge(layerPostgres({ url: Redacted.make(url), maxConnections: 16, applicationName: "bench" }))
  )
  const [tenant, made] = yield* Effect.gen(function* () {
    const one = yield* openTenant("checked")
    return [one, (yield* ingest(one, Infinity, operations)).count] as const
  }).pipe(Effect.provide(services))
  return yield* inChild(url, tenant, made)
})
