import { printable } from "@bursar/api/wire/printable"
import { currentAuthority } from "@bursar/core/grant/GrantState"
import { Clock, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { configFlag } from "../config/environment.ts"
import type { LeftOutOf } from "./grantPlan.ts"
import { connect, connectionFlags } from "./operator.ts"
import { printRecord, printText } from "./print.ts"
import { openToSign, signingFlags } from "./signing.ts"

const planning = Effect.promise(() => import("./grantPlan.ts"))

/** For how long a plan can be approved where nobody says. */
const expiresInHoursDefault = 168

const hoursMs = 3_600_000

const importFlags = {
  ...connectionFlags,
  ...configFlag,
  ...signingFlags,
  file: Argument.String("file").pipe(Argument.withDescription("The plan: made if it is not there, else gone on with")),
  key: Flag.String("key").pipe(Flag.withDescription("Your key file, to sign the whole plan"), Flag.optional),
  apply: Flag.Boolean("apply").pipe(
    Flag.withDescription("Append what enough people have signed"),
    Flag.withDefault(false)
  ),
  digest: Flag.String("digest").pipe(
    Flag.withDescription("The digest that you have reviewed: another plan is refused"),
    Flag.optional
  ),
  expiresInHours: Flag.Int("expires-in-hours").pipe(
    Flag.withDescription("For how long a new plan can be approved"),
    Flag.withDefault(expiresInHoursDefault)
  )
}

/** A client, and what verifies chains here from the root of this machine. */
const open = Effect.fnUntraced(function* (
  options: Parameters<typeof connect>[0] & { readonly config: Option.Option<string> }
) {
  const client = yield* connect(options)
  const { readGrantRoot, trustOf } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
  const { verifierOver } = yield* Effect.promise(() => import("./grantChain.ts"))
  return { client, grants: yield* verifierOver(client, yield* trustOf(yield* readGrantRoot(options.config))) }
})

/** `bursar grant import` */
export const grantImport = Command.make(
  "import",
  importFlags,
  Effect.fn(function* (options) {
    // whoever is not shown the plan, or not asked, has reviewed it before
    if (Option.isSome(options.key) && (options.yes || options.json) && Option.isNone(options.digest))
      return yield* new CommandFailed({
        message: "To sign with --yes or --json, name the plan that you have reviewed: --digest."
      })
    const { client, grants } = yield* open(options)
    const { applyPlan, makePlan, review, shownPlan, signPlan } = yield* planning
    const { readPlan, writePlan } = yield* Effect.promise(() => import("./grantPlanFile.ts"))
    const files = yield* FileSystem.FileSystem
    const say = (text: string) => (options.json ? Effect.void : printText(text))

    let leftOut: ReadonlyArray<LeftOutOf> = []
    if (!(yield* files.exists(options.file))) {
      const now = yield* Clock.currentTimeMillis
      const by = Option.getOrElse(options.as, () => process.env["BURSAR_AS"] ?? "import")
      const draft = { note: "As it was before.", by, now, expiresAt: now + options.expiresInHours * hoursMs }
      const made = yield* makePlan(client, grants, draft)
      leftOut = made.leftOut
      for (const { chain, reason, what } of leftOut)
        yield* say(printable(`Not granted: ${what} of ${chain}: ${reason}`))
      yield* writePlan(options.file, made.plan)
    }
    let plan = yield* readPlan(options.file)
    let reviewed = yield* review(client, grants, plan)
    yield* say(`${shownPlan(reviewed)}\n`)
    if (Option.isSome(options.digest) && options.digest.value !== reviewed.digest)
      return yield* new CommandFailed({
        message: "The plan is not the one that you have reviewed: its digest differs."
      })

    if (Option.isSome(options.key)) {
      const count = reviewed.chains.reduce((sum, { left }) => sum + left.length, 0)
      const key = yield* openToSign({ ...options, key: options.key.value }, `Sign exactly these ${count} grants?`)
      const person = currentAuthority(yield* grants.fleet).keys.get(key.publicKey)?.person
      if (person === undefined)
        return yield* new CommandFailed({ message: `The key ${options.key.value} is of nobody who may approve.` })
      plan = signPlan(plan, reviewed, { approve: key.approve, person })
      yield* writePlan(options.file, plan)
      reviewed = yield* review(client, grants, plan)
    }
    if (options.apply) {
      yield* applyPlan(client, reviewed)
      reviewed = yield* review(client, grants, plan)
    }
    const left = reviewed.chains.flatMap((chain) => chain.left)
    const approved = left.map(({ needed, people }) => people.size >= needed)
    yield* printRecord(options.json, {
      ...(options.json ? { left_out: leftOut } : {}),
      digest: reviewed.digest,
      granted: reviewed.chains.reduce((sum, { left: own, total }) => sum + total - own.length, 0),
      ready: approved.filter(Boolean).length,
      waiting: approved.filter((is) => !is).length
    })
  })
).pipe(
  Command.withDescription(
    "Grant the settings that the service has of before grants: plan, sign, and append them in one go"
  ),
  Command.withExamples([
    { command: "bursar grant import plan.json", description: "Make the plan, and show what would be granted" },
    { command: "bursar grant import plan.json --key ~/.bursar/alice.pem", description: "Sign all of it" },
    { command: "bursar grant import plan.json --apply", description: "Append it; run it again after a crash" }
  ])
)
