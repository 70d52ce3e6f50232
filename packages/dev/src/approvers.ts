import { makeApproverKey, type OpenedKey, openApproverKey } from "@bursar/cli/config/approverKey"
import { CommandFailed } from "@bursar/cli/config/CommandFailed"
import { type GrantRoot, parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import { Effect, FileSystem, Option, Path, Redacted, Result } from "effect"
import { randomBytes } from "node:crypto"

/** The people of the demo who approve grants. Both must, for what raises a risk. */
const people = [
  { id: "alice", name: "Alice Adams" },
  { id: "bob", name: "Bob Brown" }
] as const

/** A person with an opened key. */
export interface DemoApprover {
  readonly id: string
  readonly key: OpenedKey
}

/** Who approves grants of a local service, and where their keys are. */
export interface DemoApprovers {
  readonly root: GrantRoot
  /** The file with the root, as `GRANT_ROOT` names it. */
  readonly rootFile: string
  readonly passphraseFile: string
  readonly keyFiles: ReadonlyArray<{ readonly id: string; readonly file: string }>
  readonly approvers: ReadonlyArray<DemoApprover>
}

const directory = "approvers"

/** Where the files are in a data directory. */
const filesIn = Effect.fnUntraced(function* (dataDir: string) {
  const path = yield* Path.Path
  const at = (name: string) => path.join(dataDir, directory, name)
  return {
    folder: path.join(dataDir, directory),
    rootFile: at("root.json"),
    passphraseFile: at("passphrase"),
    keyFiles: people.map(({ id }) => ({ id, file: at(`${id}.pem`) }))
  }
})

/** Writes a file whole, for its owner alone. */
const writeWhole = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(`${path}.new`, text, { mode: 0o600 })
  yield* files.rename(`${path}.new`, path)
})

/** Whether a data directory has a root of grants. */
export const hasRoot = Effect.fn("dev.hasRoot")(function* (dataDir: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.exists((yield* filesIn(dataDir)).rootFile)
})

/** Makes a passphrase, a key file for each approver, and last the root that names them. Keys of a start that was killed before stay unused. */
const makeRoot = Effect.fnUntraced(function* ({
  folder,
  keyFiles,
  passphraseFile,
  rootFile
}: Effect.Success<ReturnType<typeof filesIn>>) {
  const files = yield* FileSystem.FileSystem
  yield* files.remove(folder, { recursive: true, force: true })
  yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
  const passphrase = randomBytes(24).toString("base64url")
  yield* writeWhole(passphraseFile, `${passphrase}\n`)
  const approvers = yield* Effect.forEach(people, ({ id, name }, at) =>
    Effect.map(makeApproverKey(keyFiles[at]?.file ?? "", Redacted.make(passphrase)), (publicKey) => ({
      id,
      name,
      keys: [{ type: "ed25519" as const, public_key: publicKey }]
    }))
  )
  const root: GrantRoot = { approvers, quorum: String(people.length), quorums: {} }
  yield* writeWhole(rootFile, JSON.stringify(root, null, 2))
})

/** The approvers of a data directory, with their keys: found, or made at the first start. */
export const openApprovers = Effect.fn("dev.openApprovers")(function* (dataDir: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* filesIn(dataDir)
  const { keyFiles, passphraseFile, rootFile } = paths
  if (!(yield* files.exists(rootFile))) yield* makeRoot(paths)
  const root = parseGrantRoot(yield* files.readFileString(rootFile))
  if (Result.isFailure(root)) return yield* new CommandFailed({ message: `${rootFile}: ${root.failure}` })
  const approvers = yield* Effect.forEach(keyFiles, ({ file, id }) =>
    Effect.map(openApproverKey(file, Option.some(passphraseFile)), (key): DemoApprover => ({ id, key }))
  )
  const opened: DemoApprovers = { root: root.success, rootFile, passphraseFile, keyFiles, approvers }
  return opened
})
