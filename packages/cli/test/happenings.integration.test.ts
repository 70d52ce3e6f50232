import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { bursar, start } from "./support/bursar.ts"
import { fiatTenant, settleOne, writeFiatHistory } from "./support/fiatHistory.ts"
import { tempDir } from "./support/tempDir.ts"
import { openTenant, operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

/** A service with the history of a tenant, and a shell of an operator beside it. */
const openWorld = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  yield* writeFiatHistory(url)
  const server = yield* serve(environmentOf(url))
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const operator = yield* operatorOn(server.operatorUrl)
  yield* openTenant(operator, "quiet")
  const surroundings = { env, cwd }
  const asked = (...args: ReadonlyArray<string>) => bursar(args, surroundings)
  const follow = (...args: ReadonlyArray<string>) => start(args, surroundings)
  return { asked, follow, operator, surroundings, url }
})

class World extends Context.Service<World, Effect.Success<typeof openWorld>>()("test/World") {
  static readonly layer = Layer.effect(World, openWorld)
}

layer(World.layer, { excludeTestServices: true, timeout: 120_000 })("what happens, at the command line", (it) => {
  it.effect("is printed as it happens: of all tenants, of one, as text and as JSON", () =>
    Effect.gen(function* () {
      const { asked, follow, operator, url } = yield* World
      const [all, json, quiet] = [
        yield* follow("operation", "tail"),
        yield* follow("operation", "tail", "--tenant", "fiat", "--json"),
        yield* follow("operation", "tail", "--tenant", "quiet")
      ]
      // what happens before a stream is open is not told: it is made to happen until each has told of it
      const told = Effect.all(
        [all.prints(/ {2}fiat {2}payout\.settled {2}[0-9a-f-]{36}$/u), json.prints(/"kind":"payout\.settled"/u)],
        { concurrency: 2 }
      )
      const happening = Effect.forever(Effect.andThen(settleOne(url), Effect.sleep("500 millis")))
      const [, line] = yield* Effect.raceFirst(told, happening)
      assert.strictEqual(yield* all.kill("SIGTERM"), 0, "it runs until it is stopped")
      const { happened, tenant_id: tenantId } = JSON.parse(line)
      assert.strictEqual(tenantId, fiatTenant)
      const operation = yield* operator.operations.get({
        params: { tenant_id: fiatTenant, operation_id: happened.resource_id }
      })
      assert.deepInclude(operation, { kind: "BANK_TRANSFER", status: "SETTLED" })
      assert.notInclude(yield* quiet.output, "payout.settled")
      const unknown = yield* asked("operation", "tail", "--tenant", "nobody")
      assert.notStrictEqual(unknown.code, 0)
      assert.include(unknown.stderr, "nobody")
    }).pipe(Effect.scoped)
  )

  it.effect("is told to nobody without a token, and ends with the command", () =>
    Effect.gen(function* () {
      const { follow, surroundings } = yield* World
      const running = yield* follow("operation", "tail")
      assert.include([0, 130, 143], yield* running.kill("SIGTERM"))
      const OPERATOR_TOKEN = "another-token-another-token-another"
      const env = { ...surroundings.env, OPERATOR_TOKEN }
      const refused = yield* bursar(["operation", "tail"], { ...surroundings, env })
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.stderr, "token")
    }).pipe(Effect.scoped)
  )

  it.effect("is summed up over time: volume, times, networks and balances", () =>
    Effect.gen(function* () {
      const { asked } = yield* World
      const volume = yield* asked("series", "volume", "--tenant", "fiat")
      assert.strictEqual(volume.code, 0, volume.stderr)
      for (const text of ["BANK_TRANSFER", "ON_RAMP", "EUR"]) assert.include(volume.stdout, text)
      const { points, step_seconds: step } = JSON.parse((yield* asked("series", "volume", "--json")).stdout)
      assert.strictEqual(step, 3_600)
      assert.isAbove(points.length, 2)
      assert.include((yield* asked("series", "volume", "--tenant", "quiet")).stdout, "Nothing was accepted.")
      assert.include((yield* asked("series", "times", "--span", "week", "--tenant", "fiat")).stdout, "BANK_TRANSFER")
      assert.include((yield* asked("series", "networks")).stdout, "Nothing is known of that time.")
      assert.match((yield* asked("series", "balances", "fiat", "--span", "month")).stdout, /\d EUR/u)
      assert.include((yield* asked("series", "balances", "quiet")).stdout, "The tenant never had anything.")
      const wrong = yield* asked("series", "volume", "--span", "year")
      assert.notStrictEqual(wrong.code, 0)
      assert.include(wrong.stdout + wrong.stderr, "year")
      assert.notStrictEqual((yield* asked("series", "balances", "nobody")).code, 0)
    })
  )
})
