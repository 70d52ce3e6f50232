import { openWorldRoles } from "./support/roles.ts"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { bursar, startProgram } from "./support/bursar.ts"
import { programAt } from "./support/programAt.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { freshAddress, makePayer } from "./support/payer.ts"
import { openNetworks, openPayers } from "./support/payingWorld.ts"
import { allDeposits, openTenant, operatorOn, partnerOn, register, untilLetIn } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { serve, signerOf, work } from "./support/world.ts"

const hurriedWorker = programAt(new URL("./support/hurriedWorker.ts", import.meta.url))

it.live(
  "server, worker and signer each do all their work with their own role of the database",
  () =>
    Effect.gen(function* () {
      const networks = yield* openNetworks
      const { env, ethereum, ports } = networks
      const as = yield* openWorldRoles(env.DATABASE_URL)
      yield* signerOf({ ...env, DATABASE_URL: as.sign })
      const [server, worker] = [
        yield* serve({ ...env, DATABASE_URL: as.serve }),
        yield* work({ ...env, DATABASE_URL: as.work })
      ]
      yield* Effect.gen(function* () {
        const queries = yield* Queries
        const operator = yield* operatorOn(server.operatorUrl)
        const tenant = yield* openTenant(operator, "acme")
        const partner = yield* partnerOn(server.partnerUrl, tenant.key)
        yield* untilLetIn(partner)
        yield* worker.says("watch.started")
        const { asked, deposit, fund, pay, payers } = yield* openPayers(networks)
        const address = freshAddress()
        yield* register(partner, "ethereum", [address])
        yield* (yield* makePayer(ethereum, "USDT_ETH")).native(address, 10n ** 17n)
        yield* fund
        yield* pay.dollars
        yield* pay.bitcoin
        yield* pay.blocked
        yield* until("the deposit", allDeposits(partner), (all) => all.some(({ status }) => status === "CONFIRMED"))
        for (const { ends, operation, received, units } of asked) {
          const read = queries.operation(operation.tenantId, operation.id)
          yield* until("the payout's end", read, (now) => now?.status === ends)
          assert.strictEqual(yield* received, units)
        }
        // the worker has no prices here, and sweeps only where it knows what a sweep costs
        yield* worker.kill("SIGTERM")
        const sweeper = yield* startProgram(hurriedWorker, [], {
          env: environmentFor("work", { ...env, DATABASE_URL: as.work })
        })
        yield* deposit
        yield* until("the sweep", queries.records(payers.ethereum.id, Sweep), (all) =>
          all.some(({ state }) => state === "SWEPT")
        )
        assert.notInclude(yield* sweeper.output, "permission denied")
        const checked = yield* bursar(["check"], { env: { DATABASE_URL: as.serve } })
        assert.strictEqual(checked.code, 0, checked.stdout + checked.stderr)
      }).pipe(Effect.provide(ports))
      for (const output of [yield* server.output, yield* worker.output]) assert.notInclude(output, "permission denied")
    }).pipe(Effect.scoped),
  180_000
)

it.live("prints the roles without a database, and says what is wrong with the flags", () =>
  Effect.gen(function* () {
    const printed = yield* bursar(["migrate", "--roles", "acme"])
    assert.strictEqual(printed.code, 0, printed.stderr)
    assert.match(printed.stdout, /^begin;\n[^]*create role "acme_sign" nologin;[^]*\ncommit;\n$/u)
    const refused = yield* bursar(["migrate", "--roles", "pg_acme"])
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
    assert.include(refused.stderr, "pg_")
    const alone = yield* bursar(["migrate", "--apply"])
    assert.strictEqual(alone.code, 1)
    assert.include(alone.stderr, "--roles")
  })
)
