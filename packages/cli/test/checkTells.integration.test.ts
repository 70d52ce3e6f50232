import { layer as layerPostgres } from "@bursar/postgres"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { bursar } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { migratedDatabase, sqlOn } from "./support/world.ts"

interface Result {
  readonly invariant: string
  readonly firstWrong: string | null
}

/** What a check printed as wrong, by its rule. */
const wrongIn = (stdout: string): Map<string, string> =>
  new Map(
    (JSON.parse(stdout) as ReadonlyArray<Result>).flatMap(({ firstWrong, invariant }) =>
      firstWrong === null ? [] : [[invariant, firstWrong] as const]
    )
  )

it.live(
  "a check tells what it found of the books, though the signer is stopped or the seals cannot be read, and its own mistakes before",
  () =>
    Effect.gen(function* () {
      const [{ url }, cwd] = [yield* migratedDatabase, yield* tempDir]
      const sql = yield* sqlOn(url)
      yield* Effect.gen(function* () {
        const { id } = yield* newTenant({ slug: "acme" })
        yield* commitAt(id, Date.now(), adjust(500n, "EUR"))
      }).pipe(Effect.provide(layerPostgres({ url: Redacted.make(url), maxConnections: 2 })))
      yield* sql`update balance set units = units + 7 where account = 'float:available'`
      const check = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) =>
        bursar(["check", "--json", ...args], { env: { DATABASE_URL: url, ...variables }, cwd })

      const stopped = yield* check([], { SIGNER: `unix:${join(cwd, "none.sock")}` })
      assert.strictEqual(stopped.code, 1)
      const wrong = wrongIn(stopped.stdout)
      assert.match(wrong.get("audit-signer") ?? "", /not compared .*the signer: it does not answer/u)
      assert.isAbove(wrong.size, 1)

      // before the books, which may take hours: a tenant that is not there is found out with them
      const noBooks = ["--tenant", "nobody"]
      const mistyped = yield* check([...noBooks, "--anchor", "none.jsonl"])
      assert.include(mistyped.stderr, "The anchor none.jsonl cannot be read.")
      const noRoot = yield* check(noBooks, { GRANT_ROOT: "{}" })
      assert.include(noRoot.stderr, "GRANT_ROOT: ")

      yield* sql`alter table operator_audit_seal rename to hidden`
      const unreadable = yield* check([])
      assert.strictEqual(unreadable.code, 1)
      assert.include(unreadable.stderr, "read the seals of what operators did")
      wrong.delete("audit-signer")
      assert.deepStrictEqual(wrongIn(unreadable.stdout), wrong)
    }).pipe(Effect.scoped),
  120_000
)
