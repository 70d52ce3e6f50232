import { Effect, Option, type Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { databaseUrl } from "./database.ts"
import { printRows, printText } from "./print.ts"

/** What the chains of grants come to, where there is a root: the fleet's, and those of every tenant or of one. */
const checkGrants = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  config: Option.Option<string>,
  slug: Option.Option<string>
) {
  const { findGrantRoot } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
  const root = yield* findGrantRoot(config)
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

/** What the log of operators' actions is worth beside its seals, what the signer remembers, and what was put down outside. */
const auditResults = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  config: Option.Option<string>,
  anchors: ReadonlyArray<string>
) {
  const { checkAudit } = yield* Effect.promise(() => import("../assemble/checkAudit.ts"))
  return yield* checkAudit({ url, variables: yield* readVariables(config), anchors })
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
    const url = yield* databaseUrl(config)
    const { readConfiguredNetworks } = yield* Effect.promise(() => import("../config/ConfiguredNetworks.ts"))
    const { currencies, mistakes } = readConfiguredNetworks((yield* readVariables(config))["NETWORKS"] || undefined)
    if (mistakes.length > 0) return yield* new CommandFailed({ message: mistakes.join("\n") })
    const { checkLedger } = yield* Effect.promise(() => import("../assemble/checkLedger.ts"))
    const results = [
      ...(yield* checkLedger(url, tenant, currencies, place)),
      ...(yield* auditResults(url, config, anchor)),
      ...(yield* checkGrants(url, config, tenant))
    ]
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
    if (!json) yield* printText(`\n${results.length} checks passed.`)
  })
).pipe(Command.withDescription("Recompute every tenant's ledger and name the first wrong row of each broken rule"))
