import { Clock, Effect } from "effect"
import { parseArgs } from "node:util"
import { fuzz, isolate, openStage } from "./run/fuzz.ts"
import { fuzzOperators } from "./run/fuzzOperators.ts"
import { summary } from "./run/summary.ts"
import type { Fuzzed, Interface } from "./run/watch.ts"
import { runSchemathesis, schemathesisCallsMost } from "./schemathesis/runSchemathesis.ts"

const usage = `Usage: npm run fuzz -- [--calls <count>] [--seed <seed>] [--concurrency <count>] [--interface partners|operators] [--schemathesis <program>]
       npm run fuzz -- --interface <one> --seed <seed> --from <number of a call> --calls 1

Starts a service of its own, checks that its tenants are kept apart, and makes calls that follow from the seed: so many of partners, and
then so many of operators.
Ctrl-C ends the calls, and what was done by then is judged; a second one ends it all.`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n${usage}\n`)
  process.exit(64)
}

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "10000" },
    seed: { type: "string", default: "424242" },
    from: { type: "string", default: "0" },
    concurrency: { type: "string", default: "16" },
    interface: { type: "string" },
    schemathesis: { type: "string" }
  }
})

const whole = (name: "calls" | "seed" | "from" | "concurrency"): number => {
  const value = Number(values[name])
  return Number.isSafeInteger(value) && value >= 0 ? value : refuse(`--${name} is a whole number.`)
}

const given = values.interface
if (given !== undefined && given !== "partners" && given !== "operators")
  refuse("--interface is partners, operators, or left out for both.")
const called = (one: Interface): boolean => given === undefined || given === one

let isOver = false
process.once("SIGINT", () => void (isOver = true))

const options = {
  isOver: () => isOver,
  calls: whole("calls"),
  seed: whole("seed"),
  from: whole("from"),
  concurrency: Math.max(1, whole("concurrency")),
  print
}

const main = Effect.gen(function* () {
  const begun = yield* Clock.currentTimeMillis
  const since = Effect.map(Clock.currentTimeMillis, (now) => ((now - begun) / 1_000).toFixed(0))
  const stage = yield* openStage(options.calls + (values.schemathesis === undefined ? 0 : schemathesisCallsMost))
  print(`The service runs after ${yield* since} s.`)
  const isolation = yield* isolate(stage)
  print(`${isolation.cases} cases of two tenants, ${isolation.wrong.length} wrong.`)
  const program = values.schemathesis
  if (program === undefined) print("schemathesis: skipped, --schemathesis names no program")
  const runs: Array<Fuzzed> = []
  const others: Array<string> = []
  // operators' calls are the last: they revoke the partners' keys
  for (const [to, run] of [
    ["partners", fuzz],
    ["operators", fuzzOperators]
  ] as const) {
    if (!called(to)) continue
    if (program !== undefined) others.push(...(yield* runSchemathesis(stage, to, { program, print })))
    runs.push(yield* run(stage, options))
  }
  for (const { outcome } of runs) print(summary(outcome))
  const all = [...isolation.wrong, ...runs.flatMap(({ wrong }) => wrong), ...others]
  for (const line of all) print(line)
  const calls = runs.reduce((sum, { outcome }) => sum + outcome.calls, 0)
  print(`${calls} calls of seed ${options.seed} in ${yield* since} s: ${all.length === 0 ? "all is right" : "failed"}`)
  return all.length
}).pipe(Effect.scoped)

process.exitCode = (await Effect.runPromise(main)) === 0 ? 0 : 1
