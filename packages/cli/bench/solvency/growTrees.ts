import { makeLeavesCheck } from "@bursar/api/solvency/verifyLeaves"
import type { Environment } from "@bursar/core/base/Environment"
import { SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { layer as postgresLayer } from "@bursar/postgres"
import { growTrees, sha256 } from "@bursar/server/solvency/growTrees"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted, Stream } from "effect"
import { randomBytes, randomUUID } from "node:crypto"

/** What growing the trees of a snapshot, and growing them again from what was stored, took. */
export interface GrewTrees {
  readonly leaves: number
  readonly grownSeconds: number
  readonly checkedSeconds: number
  /** The most memory that the process had. */
  readonly peakMiB: number
  readonly findings: ReadonlyArray<string>
}

const grow = Effect.fnUntraced(function* (environment: Environment) {
  const store = yield* SolvencyStore
  const id = randomUUID()
  const started = performance.now()
  const { trees } = yield* growTrees(store.owed({ environment, orderKey: "bench" }), {
    snapshotId: id,
    secret: randomBytes(32),
    keep: (part) => store.addNodes(id, part)
  })
  const grown = performance.now()
  const liabilities = trees.map(({ currency, depth, leaves, root, total }) => ({
    currency,
    leaves,
    depth,
    root: Buffer.from(root).toString("hex"),
    total: String(total)
  }))
  const check = makeLeavesCheck({ snapshot_id: id, liabilities }, sha256)
  yield* Stream.runForEach(store.leaves(id), (leaf) => Effect.sync(() => check.add(leaf)))
  return {
    leaves: liabilities.reduce((sum, { leaves }) => sum + leaves, 0),
    grownSeconds: (grown - started) / 1_000,
    checkedSeconds: (performance.now() - grown) / 1_000,
    findings: check.findings()
  }
})

// A process of its own, which tells its own peak: the database and the environment are its arguments.
const run = Effect.gen(function* () {
  const [url = "", environment = ""] = process.argv.slice(2)
  const services = postgresLayer({ url: Redacted.make(url), maxConnections: 4, applicationName: "bench-solvency" })
  const grew = yield* Effect.provide(grow(environment === "LIVE" ? "LIVE" : "SANDBOX"), services)
  const told: GrewTrees = { ...grew, peakMiB: process.resourceUsage().maxRSS / 1_024 }
  yield* Console.log(JSON.stringify(told))
})

if (import.meta.main) NodeRuntime.runMain(run)
