import { Effect } from "effect"
import { parseArgs } from "node:util"
import { type FaultKind, faultKinds } from "./outside/Faults.ts"
import { findMistake } from "./plant/findMistake.ts"
import { type Mistake, mistakes } from "./plant/mistakes.ts"
import { runWorld } from "./run/runWorld.ts"
import { simulate } from "./run/simulate.ts"
import { nothingPlanted, type Plant } from "./world/Plant.ts"

const usage = `Usage: npm run simulate -- --worlds <count> [--seed <seed>] [--hours <hours>]
       npm run simulate -- --world <seed> [--without <fault,fault>] [--active <ms>] [--quiet]
       npm run simulate -- --find-mistakes

The first two take --mistake <name>, which puts a mistake into the service that the judges have to find. The last one says in which world each mistake is found.`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n${usage}\n`)
  process.exit(64)
}

const whole = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  return Number.isInteger(value) && value >= 0 ? value : refuse(`--${name} is a whole number.`)
}

const kindsOf = (text: string | undefined): ReadonlySet<FaultKind> => {
  const names = text === undefined || text === "" ? [] : text.split(",")
  return new Set(names.map((name) => faultKinds.find((kind) => kind === name) ?? refuse(`${name} is no fault.`)))
}

const plantOf = (name: string | undefined): Plant => {
  if (name === undefined) return nothingPlanted
  const found = Object.entries<Plant>(mistakes).find(([known]) => known === name)
  return found === undefined ? refuse(`The mistakes are: ${Object.keys(mistakes).join(", ")}.`) : found[1]
}

const { values } = parseArgs({
  options: {
    worlds: { type: "string" },
    seed: { type: "string" },
    hours: { type: "string" },
    world: { type: "string" },
    without: { type: "string" },
    active: { type: "string" },
    mistake: { type: "string" },
    quiet: { type: "boolean" },
    "find-mistakes": { type: "boolean" }
  }
})

/** How many worlds are looked at for a mistake. */
const worldsMax = 60

/** Says in which world each mistake is found, in the form of the test that holds it. */
const findMistakes = Effect.gen(function* () {
  for (const mistake of Object.keys(mistakes) as ReadonlyArray<Mistake>) {
    const found = yield* findMistake(mistake, { from: 1, worlds: worldsMax })
    if (found === undefined) process.exitCode = 1
    print(`"${mistake}": ${found === undefined ? "not found" : `[${found.seed}, "${[...found.judges].join(" ")}"]`},`)
  }
})

const one = whole("world", values.world)
if (values["find-mistakes"] === true) {
  await Effect.runPromise(findMistakes)
} else if (one === undefined) {
  const hours = values.hours === undefined ? undefined : Number(values.hours)
  const { failed } = await Effect.runPromise(
    simulate({
      worlds: whole("worlds", values.worlds) ?? (hours === undefined ? 50 : Number.MAX_SAFE_INTEGER),
      seed: whole("seed", values.seed) ?? 424_242,
      ...(hours !== undefined && { untilMs: hours * 3_600_000 }),
      plant: plantOf(values.mistake),
      print
    })
  )
  process.exitCode = failed.length === 0 ? 0 : 1
} else {
  const activeMs = whole("active", values.active)
  const { digest, violations, world } = await Effect.runPromise(
    runWorld({
      seed: one,
      without: kindsOf(values.without),
      verbose: values.quiet !== true,
      plant: plantOf(values.mistake),
      ...(activeMs !== undefined && { activeMs })
    })
  )
  for (const line of world.history()) print(line)
  for (const violation of violations) print(violation)
  print(`world ${one} ${violations.length === 0 ? "is right" : "failed"}, history ${digest}`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
