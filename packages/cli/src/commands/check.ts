import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { databaseUrl } from "./database.ts"
import { printRows } from "./print.ts"

/** `bursar check` */
export const checkCommand = Command.make(
  "check",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false)),
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Check one tenant, by its slug"), Flag.optional)
  },
  Effect.fn(function* ({ config, json, tenant }) {
    const url = yield* databaseUrl(config)
    const { readConfiguredNetworks } = yield* Effect.promise(() => import("../config/ConfiguredNetworks.ts"))
    const { currencies, mistakes } = readConfiguredNetworks((yield* readVariables(config))["NETWORKS"] || undefined)
    if (mistakes.length > 0) return yield* new CommandFailed({ message: mistakes.join("\n") })
    const { checkLedger } = yield* Effect.promise(() => import("../assemble/checkLedger.ts"))
    const results = yield* checkLedger(url, tenant, currencies)
    const wrong = results.filter(({ firstWrong }) => firstWrong !== null)
    yield* printRows(
      json,
      json
        ? results
        : results.map(({ firstWrong, invariant, tenant: slug }) => ({
            tenant: slug ?? "(all)",
            invariant,
            found: firstWrong ?? "ok"
          })),
      "There are no tenants yet."
    )
    if (wrong.length > 0) {
      return yield* new CommandFailed({ message: `${wrong.length} of ${results.length} checks found something wrong.` })
    }
    if (!json) yield* Console.log(`\n${results.length} checks passed.`)
  })
).pipe(Command.withDescription("Recompute every tenant's ledger and name the first wrong row of each broken rule"))
