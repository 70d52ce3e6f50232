import {
  fingerprintOf,
  proveRestore,
  readShare,
  restoreMasterKey,
  type RestoredKey,
  splitMasterKey,
  writeShare
} from "@bursar/vault/ceremony"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { Effect, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { access, mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { CommandFailed } from "../config/CommandFailed.ts"
import type { Present } from "../config/variable.ts"
import { openWrapper } from "./custodies.ts"
import { custodiesFrom, purposeOf, withMasterKeyFile, type WrappedMasterKeys } from "./masterKeyFile.ts"

const keyBytes = 32
const secret = 0o600
const ownerOnly = 0o700

const failed = (message: string) => new CommandFailed({ message })

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "unknown"

/** Writes a new file that its owner alone can read, and never over another. */
const writeSecret = (path: string, text: string): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: async () => {
      const handle = await open(path, "wx", secret)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } catch (thrown) {
        // a part of it is of no use, and would stand in the way of the next try
        await rm(path, { force: true })
        throw thrown
      } finally {
        await handle.close()
      }
    },
    catch: (thrown) =>
      failed(codeOf(thrown) === "EEXIST" ? `${path} exists, and is not overwritten.` : `${path} cannot be written.`)
  })

/** Takes away what a ceremony has written, of a key that nobody uses. Gives what is still there. */
const takeAway = (paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.filter(paths, (path) =>
    Effect.promise(() =>
      rm(path, { force: true }).then(
        () => false,
        () => true
      )
    )
  )

/** Says with why a ceremony failed what it has left. */
const undone = Effect.fnUntraced(function* ({ message }: { readonly message: string }, written: ReadonlyArray<string>) {
  const left = yield* takeAway(written)
  return yield* failed(
    left.length === 0
      ? `${message} The ceremony has left no file.`
      : `${message} The ceremony has left ${left.join(" and ")}, of a key that is not to be used: destroy that.`
  )
})

const readText = (path: string): Effect.Effect<string, CommandFailed> =>
  Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: () => failed(`${path} cannot be read.`) })

const exists = (path: string) =>
  Effect.promise(() =>
    access(path).then(
      () => true,
      () => false
    )
  )

/** The text of a file of one master key: the key itself, or wrapped by a custody. */
const masterKeyText = Effect.fnUntraced(
  function* ({ key, keyId }: Pick<RestoredKey, "key" | "keyId">, wrap: string | undefined, variables: Present) {
    if (wrap === undefined) return `${keyId}:${Buffer.from(key).toString("base64")}\n`
    const wrapper = yield* openWrapper(wrap, yield* custodiesFrom(variables))
    const wrapped = yield* wrapper.wrap(purposeOf(keyId), key)
    const opened = yield* wrapper.unwrap(purposeOf(keyId), wrapped)
    if (fingerprintOf(opened) !== fingerprintOf(key))
      return yield* failed(`${wrap} does not unwrap what it has wrapped.`)
    const file = {
      bursar: "wrapped master keys",
      version: 1,
      // it was opened under this name
      wrapped_by: wrap as WrappedMasterKeys["wrapped_by"],
      keys: [{ id: keyId, wrapped: Buffer.from(wrapped).toString("base64") }]
    } satisfies WrappedMasterKeys
    return `${JSON.stringify(file, null, 2)}\n`
  },
  // the token is open for as long as the key is wrapped
  Effect.scoped
)

/** What a ceremony is asked for. */
export interface CeremonyRequest {
  readonly folder: string
  readonly keyId: string
  readonly shares: number
  readonly needed: number
  /** The custody that wraps the master key in its file; undefined where it stands there itself. */
  readonly wrap: string | undefined
}

const shareName = (number: number, shares: number): string => `share-${number}-of-${shares}.json`

const readShares = (paths: ReadonlyArray<string>) =>
  Effect.forEach(paths, (path) => Effect.flatMap(readText(path), (text) => Effect.fromResult(readShare(path, text))))

/**
 * Makes a master key, writes it and its shares into a folder, each into a file of its own, and restores the key from every quorum
 * of the files as they are on the disk. Nothing is overwritten, and nothing of it is left where it fails.
 */
export const holdCeremony = Effect.fn("assemble.holdCeremony")(function* (
  request: CeremonyRequest,
  variables: Present
) {
  const { folder, keyId, needed, shares, wrap } = request
  const key = randomBytes(keyBytes)
  const ceremony = randomUUID()
  const all = yield* splitMasterKey(key, { ceremony, keyId, shares, needed })
  const paths = all.map(({ number }) => join(folder, shareName(number, shares)))
  const masterKey = join(folder, "master-key")
  for (const path of [masterKey, ...paths]) {
    if (yield* exists(path)) return yield* failed(`${path} exists, and is not overwritten. Name an empty folder.`)
  }
  const text = yield* masterKeyText({ key, keyId }, wrap, variables)
  yield* Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true, mode: ownerOnly }),
    catch: () => failed(`${folder} cannot be made.`)
  })
  const files = [
    ...all.map((share, index) => [paths[index] ?? masterKey, writeShare(share)] as const),
    [masterKey, text] as const
  ]
  const written: Array<string> = []
  const quorums = yield* Effect.forEach(files, ([path, content]) =>
    Effect.tap(writeSecret(path, content), () => Effect.sync(() => written.push(path)))
  ).pipe(
    Effect.andThen(readShares(paths)),
    Effect.flatMap(proveRestore),
    Effect.catch((error) => undone(error, written))
  )
  const fingerprint = fingerprintOf(key)
  key.fill(0)
  return {
    ceremony,
    key_id: keyId,
    fingerprint,
    shares,
    needed,
    quorums_proven: quorums,
    master_key: masterKey,
    share_files: paths
  }
})

/** Restores a master key from the files of shares, and writes it where it is asked to. */
export const restore = Effect.fn("assemble.restore")(function* (
  {
    paths,
    out,
    wrap
  }: { readonly paths: ReadonlyArray<string>; readonly out: string | undefined; readonly wrap: string | undefined },
  variables: Present
) {
  const restored = yield* restoreMasterKey(yield* readShares(paths))
  if (out !== undefined) yield* writeSecret(out, yield* masterKeyText(restored, wrap, variables))
  restored.key.fill(0)
  return { key_id: restored.keyId, fingerprint: restored.fingerprint, master_key: out ?? null }
})

/** The fingerprints of the master keys that the configuration names, the current one first. */
export const fingerprints = Effect.fn("assemble.fingerprints")(function* (variables: Present) {
  const { VAULT_MASTER_KEY: text = "" } = yield* withMasterKeyFile(variables)
  if (text === "") return yield* failed("VAULT_MASTER_KEY is missing, and VAULT_MASTER_KEY_FILE, too.")
  const { byId, current } = yield* Effect.fromResult(parseMasterKeys(Redacted.make(text)))
  return [...byId].map(([id, key]) => ({
    key_id: id,
    fingerprint: fingerprintOf(Redacted.value(key)),
    current: id === current
  }))
})
