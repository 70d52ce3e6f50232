import { layer as layerPostgres } from "@bursar/postgres"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"

const august = Date.UTC(2025, 7, 10)
const september = Date.UTC(2025, 8, 10)

/** A service on PostgreSQL with a tenant `acme` that has books of two months. */
const openBooks = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const server = yield* serve(environmentOf(url, {}))
  const database = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 2, anyMoment: true }))
  const { id } = yield* Effect.provide(newTenant({ slug: "acme", createdAt: august }), database)
  const book = (at: number, ...units: ReadonlyArray<bigint>) =>
    Effect.provide(commitAt(id, at, ...units.map((one) => adjust(one, "EUR", { reason: "test" }))), database)
  yield* book(august, 100n, 200n)
  yield* book(september, 300n)
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const run = (...args: ReadonlyArray<string>) => bursar(args, { env, cwd })
  const json = (...args: ReadonlyArray<string>) =>
    Effect.map(run(...args, "--json"), (ended) => {
      assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
      return JSON.parse(ended.stdout)
    })
  return { book, cwd, json, run, sql: yield* sqlOn(url) }
})

const august2025 = ["--tenant", "acme", "--period", "2025-08"] as const

describe("the books of a service on PostgreSQL", () => {
  it.live("are gone on with, where an export was stopped, by the command that it told", () =>
    Effect.gen(function* () {
      const { cwd, run } = yield* openBooks
      for (const range of [["--from", "2025-09-01"], ["--period", "2025-08"], []]) {
        const told = yield* run("export", "--tenant", "acme", "--format", "csv", ...range, "--out", "book.csv")
        assert.strictEqual(told.code, 0, told.stderr)
        const [, again = ""] = /bursar (export .* --resume)$/mu.exec(told.stderr) ?? assert.fail(told.stderr)
        const whole = readFileSync(join(cwd, "book.csv"), "utf8")
        for (const lines of [1, 3, 6]) {
          writeFileSync(join(cwd, "book.csv.part"), `${whole.split("\n").slice(0, lines).join("\n")}\n`)
          rmSync(join(cwd, "book.csv"))
          const resumed = yield* run(...again.split(" "))
          assert.strictEqual(resumed.code, 0, resumed.stderr)
          assert.strictEqual(
            readFileSync(join(cwd, "book.csv"), "utf8"),
            whole,
            `${range.join(" ")} after ${lines} lines`
          )
        }
      }
    })
  )

  it.live("close once, whoever closes at the same time, and give the same statement ever after", () =>
    Effect.gen(function* () {
      const { book, cwd, json, run } = yield* openBooks
      const closed = yield* Effect.all(
        Array.from({ length: 4 }, () => json("period", "close", ...august2025)),
        { concurrency: "unbounded" }
      )
      const [first] = closed
      for (const one of closed) assert.deepStrictEqual(one, first)
      yield* book(august, 400n)
      const file = join(cwd, "august.csv")
      assert.strictEqual((yield* run("period", "statement", ...august2025, "--out", file)).code, 0)
      const statement = readFileSync(file, "utf8")
      assert.strictEqual(createHash("sha256").update(statement).digest("hex"), first.csv_sha256)
      assert.deepInclude(yield* json("period", "verify", ...august2025), { ok: true, audited: true })
      const exported = yield* run("export", "--tenant", "acme", "--format", "jsonl", "--period", "2025-08")
      // what is booked after the close is in no closed month, though its clock is behind
      assert.deepStrictEqual(
        [...exported.stdout.matchAll(/^\{"posting":(\d+),/gmu)].map(([, posting]) => posting),
        ["1", "2"]
      )
    })
  )

  it.live("show that a closed month was changed in the database, in a leg or in the digest", () =>
    Effect.gen(function* () {
      const { json, run, sql } = yield* openBooks
      yield* json("period", "close", ...august2025)
      yield* sql`alter table ledger_leg disable trigger all`
      yield* sql`update ledger_leg set units = units + 1 where posting_seq = 1 and account = 'float:available'`
      const changed = yield* run("period", "verify", ...august2025)
      assert.strictEqual(changed.code, 1)
      assert.match(`${changed.stdout}${changed.stderr}`, /no longer gives the statement/u)
      yield* sql`update ledger_leg set units = units - 1 where posting_seq = 1 and account = 'float:available'`
      assert.strictEqual((yield* run("period", "verify", ...august2025)).code, 0)
      yield* sql`alter table closed_period disable trigger all`
      yield* sql`update closed_period set csv_sha256 = ${"0".repeat(64)}`
      assert.strictEqual((yield* run("period", "verify", ...august2025)).code, 1)
    })
  )
})
