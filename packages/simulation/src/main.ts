import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type FaultKind, faultKinds } from "./outside/Faults.ts"
import { findMistake, shortWorld } from "./run/findMistake.ts"
import { type Mistake, mistakes } from "./plant/mistakes.ts"
import { runWorld } from "./run/runWorld.ts"
import { manualPage, withCoverage, withMistakes } from "./run/manual.ts"
import { simulate, type Simulated } from "./run/simulate.ts"
import { nothingPlanted, type Plant } from "./world/Plant.ts"

const usage = `Usage: npm run simulate -- --worlds <count> [--seed <seed>] [--hours <hours>]
           [--threads <count>] [--write-manual]
       npm run simulate -- --world <seed> [--without <fault,fault>] [--active <ms>] [--quiet]
       npm run simulate -- --find-mistakes [--mistake <name>]

All take --mistake <name>. The first two put that mistake into the service, and the judges have to find it. The last one says in which world it is
found, or each one is.`

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

const mistakeOf = (name: string | undefined): Mistake | undefined => {
  if (name === undefined) return undefined
  const all = Object.keys(mistakes) as ReadonlyArray<Mistake> // they are its keys
  return all.find((known) => known === name) ?? refuse(`The mistakes are: ${all.join(", ")}.`)
}

const plantOf = (name: string | undefined): Plant => {
  const mistake = mistakeOf(name)
  return mistake === undefined ? nothingPlanted : mistakes[mistake]
}

/** Writes what a run came by, and the list of mistakes, into the manual. */
const writeManual = (simulated: Simulated): void => {
  const path = join(import.meta.dirname, "../../..", manualPage)
  const command = `npm run simulate -- ${process.argv
    .slice(2)
    .filter((word) => word !== "--write-manual")
    .join(" ")}`
  writeFileSync(path, withMistakes(withCoverage(readFileSync(path, "utf8"), simulated, command)))
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
    threads: { type: "string" },
    "write-manual": { type: "boolean" },
    quiet: { type: "boolean" },
    "find-mistakes": { type: "boolean" }
  }
})

/** How many worlds are looked at for a mistake. */
const worldsMax = 100

/** Says in which world each mistake is found, in the form of the test that holds it. */
const findMistakes = Effect.gen(function* () {
  const all = Object.keys(mistakes) as ReadonlyArray<Mistake> // they are its keys
  for (const mistake of all.filter((one) => values.mistake === undefined || one === values.mistake)) {
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
  const simulated = await Effect.runPromise(
    simulate({
      worlds: whole("worlds", values.worlds) ?? (hours === undefined ? 50 : Number.MAX_SAFE_INTEGER),
      seed: whole("seed", values.seed) ?? 424_242,
      ...(hours !== undefined && { untilMs: hours * 3_600_000 }),
      mistake: mistakeOf(values.mistake),
      threads: Math.max(1, whole("threads", values.threads) ?? availableParallelism()),
      print
    })
  )
  if (values["write-manual"] === true) writeManual(simulated)
  process.exitCode = simulated.failed.length === 0 ? 0 : 1
} else {
  const activeMs = whole("active", values.active)
  const { digest, violations, world } = await Effect.runPromise(
    runWorld({
      seed: one,
      without: kindsOf(values.without),
      verbose: values.quiet !== true,
      plant: plantOf(values.mistake),
      // a mistake shows in its world of the manual as it was found there
      ...(activeMs === undefined ? values.mistake !== undefined && shortWorld : { activeMs })
    })
  )
  for (const line of world.history()) print(line)
  for (const violation of violations) print(violation)
  print(`world ${one} ${violations.length === 0 ? "is right" : "failed"}, history ${digest}`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
