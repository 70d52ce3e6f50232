/**
 * Records what a real node answers, for tests that read it without one: `BITCOIND=… node scripts/recordAnswers.ts`. See
 * `docs/contributing/nodes.md`.
 */
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { launchBitcoind, startBitcoind } from "../test/support/Bitcoind.ts"
import type { Phase } from "../test/support/recorded.ts"
import { makeRecorder, type Recorder } from "./Recorder.ts"
import { scenario } from "./scenario.ts"
import { estimated, pruned } from "./special.ts"

const binary = realNode("BITCOIND").found ?? ""

const written = Effect.fnUntraced(function* (recorder: Recorder, name: string, phases: ReadonlyArray<Phase>) {
  const { subversion } = yield* recorder.quietly<{ readonly subversion: string }>("getnetworkinfo")
  const origin = {
    client: subversion,
    network: "regtest",
    recorded: new Date().toISOString().slice(0, 10),
    by: "packages/networks/bitcoin/scripts/recordAnswers.ts"
  }
  const file = new URL(`../test/recorded/${name}.json`, import.meta.url)
  // A line for each step.
  const parts = phases.map(
    (phase) =>
      `{ "name": ${JSON.stringify(phase.name)}, "steps": [\n${phase.steps.map((step) => JSON.stringify(step)).join(",\n")}\n] }`
  )
  const text = `{ "origin": ${JSON.stringify(origin)}, "phases": [\n${parts.join(",\n")}\n] }`
  yield* Effect.promise(() => writeFile(file, `${text}\n`))
})

const life = Effect.gen(function* () {
  const recorder = makeRecorder(yield* startBitcoind(binary, ["-txindex=1"]))
  yield* scenario(recorder)
  yield* written(recorder, "transactions", recorder.phases())
})

const special = Effect.gen(function* () {
  const recorder = makeRecorder(yield* launchBitcoind(binary, ["-prune=1", "-fastprune"]))
  recorder.phase("warming up")
  yield* recorder.warmup
  yield* pruned(recorder)
  const estimating = makeRecorder(yield* startBitcoind(binary))
  yield* estimated(estimating)
  yield* written(recorder, "states", [...recorder.phases(), ...estimating.phases()])
})

if (import.meta.main) await Effect.runPromise(Effect.scoped(Effect.andThen(life, special)))
