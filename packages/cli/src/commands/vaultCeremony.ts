import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { printRecord, printRows } from "./print.ts"

const flags = {
  ...configFlag,
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
}

const wrapFlag = Flag.Literals("wrap", ["pkcs11", "aws-kms"]).pipe(
  Flag.withDescription("Wrap the master key in its file with a key of this custody"),
  Flag.optional
)

/** `bursar vault ceremony` */
export const ceremonyCommand = Command.make(
  "ceremony",
  {
    ...flags,
    out: Flag.String("out").pipe(Flag.withDescription("The folder for the master key and its shares")),
    shares: Flag.Int("shares").pipe(Flag.withDescription("How many shares to make (2 to 16)")),
    needed: Flag.Int("needed").pipe(Flag.withDescription("How many of them restore the key (at least 2)")),
    id: Flag.String("id").pipe(
      Flag.withDescription("The id of the master key, such as 2026"),
      Flag.withDefault("first")
    ),
    wrap: wrapFlag
  },
  Effect.fn(function* ({ config, id, json, needed, out, shares, wrap }) {
    const { holdCeremony } = yield* Effect.promise(() => import("../assemble/ceremony.ts"))
    const request = { folder: out, keyId: id, shares, needed, wrap: Option.getOrUndefined(wrap) }
    yield* printRecord(json, yield* holdCeremony(request, yield* readVariables(config)))
  })
).pipe(
  Command.withDescription("Make a master key with backup shares, and prove that every quorum of them restores it"),
  Command.withExamples([
    {
      command: "bursar vault ceremony --out /media/ceremony --shares 5 --needed 3",
      description: "Any 3 of 5 restore it"
    }
  ])
)

/** `bursar vault restore` */
export const restoreCommand = Command.make(
  "restore",
  {
    ...flags,
    share: Flag.String("share").pipe(Flag.withDescription("The file of a share; repeat it"), Flag.atLeast(1)),
    out: Flag.String("out").pipe(
      Flag.withDescription("Write the master key into this new file; without it, the command only proves the restore"),
      Flag.optional
    ),
    wrap: wrapFlag
  },
  Effect.fn(function* ({ config, json, out, share, wrap }) {
    const { restore } = yield* Effect.promise(() => import("../assemble/ceremony.ts"))
    const request = { paths: share, out: Option.getOrUndefined(out), wrap: Option.getOrUndefined(wrap) }
    yield* printRecord(json, yield* restore(request, yield* readVariables(config)))
  })
).pipe(
  Command.withDescription("Restore a master key from its shares, and show its fingerprint"),
  Command.withExamples([
    {
      command: "bursar vault restore --share share-1-of-5.json --share share-3-of-5.json --share share-4-of-5.json",
      description: "Prove that these three restore the key"
    }
  ])
)

/** `bursar vault fingerprint` */
export const fingerprintCommand = Command.make(
  "fingerprint",
  flags,
  Effect.fn(function* ({ config, json }) {
    const { fingerprints } = yield* Effect.promise(() => import("../assemble/ceremony.ts"))
    yield* printRows(json, yield* fingerprints(yield* readVariables(config)), "There is no master key.")
  })
).pipe(
  Command.withDescription("Show the fingerprints of the configured master keys, to compare them with those of shares")
)
