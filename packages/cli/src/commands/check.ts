import type { GrantRoot } from "@bursar/core/grant/GrantRoot"
import { Effect, Option, type Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { ownDatabaseUrl } from "./database.ts"
import { printRows, printText } from "./print.ts"

/** What the chains of grants come to, where there is a root: the fleet's, and those of every tenant or of one. */
const checkGrants = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  root: Option.Option<GrantRoot>,
  slug: Option.Option<string>
) {
  if (Option.isNone(root)) return []
  const { verifyGrants } = yield* Effect.promise(() => import("../assemble/verifyGrants.ts"))
  const reports = yield* verifyGrants(url, root.value)
  return reports
    .filter(({ chain }) => chain === "fleet" || Option.isNone(slug) || chain === slug.value)
    .map(({ chain, problem }) => ({
      tenant: chain === "fleet" ? null : chain,
      invariant: "grants",
      rule: "Every grant of the chain follows from GRANT_ROOT",
      firstWrong: problem
    }))
})

/** `bursar check` */
export const checkCommand = Command.make(
  "check",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false)),
    anchor: Flag.String("anchor").pipe(
      Flag.withDescription(
        "A file or s3://bucket/prefix that seals of the audit log were written into, or a head of the log that you noted; repeat it"
      ),
      Flag.atLeast(0)
    ),
    place: Flag.String("place").pipe(
      Flag.withDescription("A file that keeps what was checked: a check that was broken off goes on there"),
      Flag.optional
    ),
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Check one tenant, by its slug"), Flag.optional)
  },
  Effect.fn(function* ({ anchor, config, json, place, tenant }) {
    const url = yield* ownDatabaseUrl(config)
    const { readConfiguredNetworks } = yield* Effect.promise(() => import("../config/ConfiguredNetworks.ts"))
    const variables = yield* readVariables(config)
    const { currencies, mistakes } = readConfiguredNetworks(variables["NETWORKS"] || undefined)
    if (mistakes.length > 0) return yield* new CommandFailed({ message: mistakes.join("\n") })
    const { checkAudit, readEvidence } = yield* Effect.promise(() => import("../assemble/checkAudit.ts"))
    const { findGrantRoot } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
    const [evidence, root] = [yield* readEvidence(anchor, variables), yield* findGrantRoot(config)]
    const { checkLedger } = yield* Effect.promise(() => import("../assemble/checkLedger.ts"))
    const ledger = yield* checkLedger(url, tenant, currencies, place)
    // what cannot be read of the one hides nothing that was found of the other
    const others = [
      yield* Effect.exit(checkAudit(url, evidence)),
      yield* Effect.exit(checkGrants(url, root, tenant))
    ] as const
    const results = [...ledger, ...others.flatMap((other) => (other._tag === "Success" ? other.value : []))]
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
    for (const other of others) yield* other
    if (wrong.length > 0) {
      return yield* new CommandFailed({ message: `${wrong.length} of ${results.length} checks found something wrong.` })
    }
    if (!json) yield* printText(`\n${results.length} checks passed.`)
  })
).pipe(Command.withDescription("Recompute every tenant's ledger and name the first wrong row of each broken rule"))
