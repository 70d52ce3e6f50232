import { printable } from "@bursar/api/wire/printable"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"

/** A file that holds the passphrase; without it the passphrase is typed. Never an argument, which other users of a machine can see. */
export const passphraseFlag = {
  passphraseFile: Flag.String("passphrase-file").pipe(
    Flag.withDescription("A file with the passphrase of the key; by default you type it"),
    Flag.optional
  )
}

const init = Command.make(
  "init",
  {
    ...passphraseFlag,
    file: Argument.String("file").pipe(Argument.withDescription("The key file to make")),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ file, json, passphraseFile }) {
    const { makeApproverKey, newPassphrase } = yield* Effect.promise(() => import("../config/approverKey.ts"))
    const publicKey = yield* makeApproverKey(file, yield* newPassphrase(passphraseFile))
    yield* printRecord(json, { type: "ed25519", public_key: publicKey })
    if (json) return
    yield* printText(
      `\nGive the public key to whoever writes the root or proposes you as an approver. Keep ${file} and a copy of it to yourself.`
    )
  })
).pipe(
  Command.withDescription("Make your key for approving grants, in a file under a passphrase"),
  Command.withExamples([{ command: "bursar approver init ~/.bursar/alice.pem", description: "Your own key" }])
)

const list = Command.make(
  "list",
  { ...connectionFlags },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.grants.approvers()
    if (options.json) return yield* printRecord(true, found)
    yield* printRows(
      false,
      found.approvers.flatMap(({ id, keys, name }) =>
        keys.map(({ key, type }) => ({ id, name, type, key: key.length > 43 ? `${key.slice(0, 42)}…` : key }))
      ),
      ""
    )
    const others = Object.entries(found.quorums).map(([kind, quorum]) => `${printable(kind)}: ${quorum}`)
    yield* printText(`\nQuorum: ${found.quorum}${others.length === 0 ? "" : ` (${others.join(", ")})`}`)
  })
).pipe(Command.withDescription("List who may approve grants, and how many people it takes"))

/** `bursar approver …` */
export const approverCommand = Command.make("approver").pipe(
  Command.withDescription("The people who approve grants, and their keys"),
  Command.withSubcommands([init, list])
)
