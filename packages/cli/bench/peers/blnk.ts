import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import { Effect, Schedule } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, type Peer, post, programOf } from "./Peer.ts"

const name = "Blnk"
const bulkSize = 100

/** A transfer that is stored when it is answered, not queued. */
const transfer = (reference: string) => ({
  amount: 1.01,
  precision: 100,
  currency: "USD",
  reference,
  description: "bench",
  skip_queue: true
})

const paid = (reference: string) => ({
  ...transfer(reference),
  source: "@hot",
  destinations: [
    { identifier: "@holds", distribution: "1.00" },
    { identifier: "@fees", distribution: "left" }
  ]
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-bench-redis-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Redis, which Blnk locks balances in. */
const redis = Effect.fnUntraced(function* (program: string) {
  const port = yield* freePort
  const server = yield* spawn({
    command: program,
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", yield* folder],
    stopSignal: "SIGTERM",
    graceMs: 5_000
  })
  yield* server.waitForLine((line) => (line.includes("Ready to accept connections") ? true : undefined), "20 seconds")
  return port
})

/** Blnk on a database, for the length of a scope: a transfer out of one balance to two others, stored at once. */
export const blnk = Effect.fnUntraced(function* (database: string) {
  const [found, store] = [programOf(name, "BLNK"), programOf(name, "REDIS_SERVER")]
  if ("variable" in found) return found
  if ("variable" in store) return store
  const port = yield* freePort
  const env = {
    BLNK_DATA_SOURCE_DNS: `${database}?sslmode=disable`,
    BLNK_REDIS_DNS: `127.0.0.1:${yield* redis(store.program)}`,
    BLNK_SERVER_PORT: String(port)
  }
  const command = { command: found.program, env, cwd: yield* folder, stopSignal: "SIGTERM", graceMs: 5_000 } as const
  const migrated = yield* spawn({ ...command, args: ["migrate", "up"] })
  yield* migrated.exited
  yield* spawn({ ...command, args: ["start"] })
  const url = `http://127.0.0.1:${port}`
  const fund = { ...transfer("fund"), amount: 1e10, source: "@world", destination: "@hot", allow_overdraft: true }
  yield* Effect.retry(post(`${url}/transactions`, fund), { schedule: Schedule.spaced("500 millis"), times: 60 })
  return {
    name,
    url: `${url}/transactions`,
    body: JSON.stringify(paid("<key>")),
    bulk: {
      url: `${url}/transactions/bulk`,
      size: bulkSize,
      body: JSON.stringify({
        skip_queue: true,
        transactions: Array.from({ length: bulkSize }, (_, nth) => paid(`<key>-${nth}`))
      })
    }
  } satisfies Peer
})
