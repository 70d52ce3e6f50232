import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { start } from "./support/bursarDev.ts"
import { descendants, untilGone } from "../../cli/test/support/descendants.ts"
import { tempDir } from "../../cli/test/support/tempDir.ts"

const titles = ["Webhooks", "Deposits", "Payouts", "Grants", "Withdrawals", "Swaps", "Customers", "Statement", "Books"]

const networks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"]

/** A line of the table at the end: the chapter where it begins, the step, what came of it and how long it took. */
const resultLine = /^ {2}(?<chapter>\S.*?)? {2,}(?<step>\S.*?) {2,}(?<result>ok|failed) +\d+\.\d s$/u

it.live(
  "bursar-dev --demo plays every chapter to its end, and then goes on running until it is stopped",
  () =>
    Effect.gen(function* () {
      const cwd = yield* tempDir
      const flags = ["--port", "0", "--operator-port", "0", "--data-dir", join(cwd, ".bursar")]
      const demo = yield* start(["--demo", ...flags], { cwd })
      // Each is waited for by itself: none takes as long as all of them.
      for (const [index, title] of titles.entries()) yield* demo.prints(new RegExp(`^${index + 1}  ${title}$`, "u"))
      yield* demo.prints(/^Everything goes on running/u)

      const told = yield* demo.output
      const results = told
        .split("\n")
        .map((line) => resultLine.exec(line)?.groups)
        .filter((groups) => groups !== undefined)
      const failed = results.filter(({ result }) => result !== "ok")
      assert.deepStrictEqual(failed, [], told)
      assert.deepStrictEqual(
        results.map(({ chapter }) => chapter).filter((chapter) => chapter !== undefined),
        titles
      )
      for (const network of networks) {
        // a deposit and a payout
        assert.lengthOf(
          results.filter(({ step }) => step === network),
          2,
          network
        )
      }
      assert.include(told, `All ${results.length} steps succeeded`)
      // what the thief tried raises an alarm, once
      assert.lengthOf(told.match(/grant\.refused/gu) ?? [], 1, told)
      assert.match(told, /ERROR {2}grant\.refused .* granted for ETH_BASE is/u)
      // Not on a terminal: nothing that only one would understand.
      assert.notInclude(told, "\u001B")

      const processes = yield* descendants(demo.pid)
      assert.strictEqual(yield* demo.kill("SIGTERM"), 0)
      yield* untilGone(processes)
    }),
  300_000
)

it.live("a demo on chains that stand still is refused before anything is started", () =>
  Effect.gen(function* () {
    const cwd = yield* tempDir
    const demo = yield* start(["--demo", "--manual-mining", "--data-dir", join(cwd, ".bursar")], { cwd })
    yield* demo.prints(/--manual-mining/u)
    assert.notInclude(yield* demo.output, "Starting PostgreSQL")
  })
)
