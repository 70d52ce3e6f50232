import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { programOf } from "./Peer.ts"

const run = promisify(execFile)

const name = "TigerBeetle"

/** How many transfers are made in each way: batches, with the clients that send them side by side. */
const ways = [
  { batch: 500, clients: 2, transfers: 1_000_000 },
  { batch: 100, clients: 10, transfers: 500_000 },
  { batch: 1, clients: 32, transfers: 20_000 }
] as const

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-bench-tigerbeetle-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Transfers that TigerBeetle's own benchmark makes out of one account, on a file of its own. */
export const tigerbeetle = Effect.gen(function* () {
  const found = programOf(name, "TIGERBEETLE")
  if ("variable" in found) return found
  const cwd = yield* folder
  const made = yield* Effect.forEach(ways, ({ batch, clients, transfers }) =>
    Effect.gen(function* () {
      const { stdout } = yield* Effect.tryPromise(() =>
        run(
          found.program,
          [
            ...["benchmark", "--account-count=1000", "--account-count-hot=1", "--transfer-hot-percent=100"],
            ...[`--transfer-count=${transfers}`, `--transfer-batch-count=${batch}`, `--clients=${clients}`],
            "--cache-grid=256MiB"
          ],
          { cwd }
        )
      )
      const told = /load accepted = ([0-9]+) tx\/s/u.exec(stdout)?.[1]
      if (told === undefined) return yield* Effect.die(new Error(`TigerBeetle's benchmark tells no rate: ${stdout}`))
      return { batch, clients, perSecond: Number(told) }
    })
  )
  return { name, made }
})
