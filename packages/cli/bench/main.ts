import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, DateTime, Effect } from "effect"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { medians, text } from "./line.ts"
import { machine, manualPage, withMeasured } from "./manual.ts"
import { type Row, rows } from "./rows.ts"
import { settingsText } from "./settings.ts"

const page = join(import.meta.dirname, "../../..", manualPage)

/** One round, on a PostgreSQL of its own. */
const roundOf = ({ lines }: Row) =>
  Effect.gen(function* () {
    const dataDir = mkdtempSync(join(tmpdir(), "bursar-bench-"))
    return yield* lines(yield* EmbeddedPostgres.make({ dataDir, persistent: false }))
  }).pipe(Effect.scoped)

const measure = Effect.fnUntraced(function* (name: string, row: Row, inManual: boolean) {
  const started = { day: DateTime.formatIsoDateUtc(yield* DateTime.now), machine: machine() }
  const lines = medians(
    yield* Effect.forEach(Array.from({ length: row.rounds }), (_, round) =>
      Effect.andThen(Console.error(`${name}: round ${round + 1} of ${row.rounds}`), roundOf(row))
    )
  )
  yield* Effect.forEach(lines, (line) => Console.log(text(line)), { discard: true })
  if (!inManual) return
  const command = `${settingsText()}npm run bench -- ${name}`
  const measured = { ...started, command, lines, rounds: row.rounds }
  writeFileSync(page, withMeasured(readFileSync(page, "utf8"), name, measured))
})

/** Measures what the arguments name; where they name nothing, everything that does not stand apart. */
const bench = Effect.gen(function* () {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "write-manual": { type: "boolean", default: false } }
  })
  const unknown = positionals.find((name) => !Object.hasOwn(rows, name))
  if (unknown !== undefined) {
    yield* Console.error(`There is no row "${unknown}". There are: ${Object.keys(rows).join(", ")}.`)
    process.exitCode = 2
    return
  }
  for (const [name, row] of Object.entries(rows))
    if (positionals.length === 0 ? row.apart !== true : positionals.includes(name))
      yield* measure(name, row, values["write-manual"])
})

if (import.meta.main) NodeRuntime.runMain(bench)
