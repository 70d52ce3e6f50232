import { checkTenant } from "@bursar/core/checker/checkTenant"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as postgresLayer } from "@bursar/postgres"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted } from "effect"
import { localCurrencies } from "../../test/support/localCurrencies.ts"

/** What checking a tenant's books took. */
export interface Checked {
  readonly operations: number
  readonly seconds: number
  readonly cpuSeconds: number
  /** The most memory that the process had. */
  readonly peakMiB: number
}

// A process of its own, which tells its own peak: the database, the tenant and the count of its operations are its arguments.
const run = Effect.gen(function* () {
  const [url = "", tenantId = "", operations = ""] = process.argv.slice(2)
  const services = postgresLayer({ url: Redacted.make(url), maxConnections: 2, applicationName: "bench-checker" })
  const started = performance.now()
  const found = yield* Effect.flatMap(LedgerSnapshot, (ledger) =>
    ledger.snapshot(TenantId(tenantId), (snapshot) => checkTenant(snapshot, { currencies: localCurrencies }))
  ).pipe(Effect.provide(services))
  const wrong = found.find(({ firstWrong }) => firstWrong !== null)
  if (wrong !== undefined) return yield* Effect.die(new Error(`${wrong.invariant}: ${wrong.firstWrong}`))
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  const told: Checked = {
    operations: Number(operations),
    seconds: (performance.now() - started) / 1_000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000,
    peakMiB: maxRSS / 1_024
  }
  return yield* Console.log(JSON.stringify(told))
})

if (import.meta.main) NodeRuntime.runMain(run)
