import { custodyCurves, CustodyKeyUnknown, CustodyRefused, CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { Effect, Result, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { link, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"

/** How a custody of sealed files is called by wallets, logs and settings. */
export const custodyName = "sealed"

const idCharacters = 32
const readOnly = 0o400
const ending = ".json"

const Stored = Schema.fromJsonString(
  Schema.Struct({ label: Schema.String, curve: Schema.Literals(custodyCurves), sealed: Schema.String })
)
/** What the file of a key says. */
export type Stored = typeof Stored.Type

/** The custody will not. */
export const refused = (doing: string, reason: string) => new CustodyRefused({ custody: custodyName, doing, reason })

const unknown = (keyId: string) => new CustodyKeyUnknown({ custody: custodyName, keyId })

/** A label has one id, so whoever stores the key of a label first wins. */
export const idOf = (label: string): string => createHash("sha256").update(label).digest("hex").slice(0, idCharacters)

const isId = (keyId: string): boolean => /^[0-9a-f]{32}$/u.test(keyId)

/** What a key is bound to: its file in another's place opens nothing. */
export const ownerOf = ({ curve, label }: Pick<Stored, "curve" | "label">): string => `custody/${curve}/${label}`

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "unknown"

/** Works on the folder; its words are not told, but the code of what went wrong. */
export const file = <A>(doing: string, call: () => Promise<A>): Effect.Effect<A, CustodyUnavailable> =>
  Effect.tryPromise({
    try: call,
    catch: (thrown) =>
      new CustodyUnavailable({ custody: custodyName, doing, reason: `its folder answered ${codeOf(thrown)}` })
  })

interface Placing {
  readonly folder: string
  readonly stored: Stored
  /** Puts the file from beside into its place. */
  readonly place: (beside: string, path: string) => Promise<void>
}

/** Puts a whole, synced file into a folder; nothing stays beside it. */
const written = (doing: string, { folder, place, stored }: Placing) =>
  file(doing, async () => {
    const beside = join(folder, `${randomUUID()}.part`)
    const handle = await open(beside, "wx", readOnly)
    try {
      await handle.writeFile(JSON.stringify(stored))
      await handle.sync()
    } finally {
      await handle.close()
    }
    try {
      await place(beside, join(folder, `${idOf(stored.label)}${ending}`))
    } finally {
      await rm(beside, { force: true })
    }
    const directory = await open(folder, "r")
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  })

/** Stores a new key. A crash leaves a whole file or none, and one that is there already stays. */
export const putNew = (doing: string, folder: string, stored: Stored) =>
  written(doing, {
    folder,
    stored,
    place: (beside, path) =>
      link(beside, path).catch((thrown: unknown) => {
        if (codeOf(thrown) !== "EEXIST") throw thrown
      })
  })

/** Puts another sealing of the same key in place of the one that is there. */
export const replace = (doing: string, folder: string, stored: Stored) =>
  written(doing, { folder, stored, place: rename })

/** The ids of the keys in a folder. */
export const idsIn = (doing: string, folder: string) =>
  Effect.map(
    file(doing, () => readdir(folder)),
    (names) =>
      names
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .filter(isId)
  )

/** The file of a key. */
export const readKey = Effect.fnUntraced(function* (doing: string, folder: string, keyId: string) {
  if (!isId(keyId)) return yield* unknown(keyId)
  const text = yield* file(doing, () =>
    readFile(join(folder, `${keyId}${ending}`), "utf8").catch((thrown: unknown) => {
      if (codeOf(thrown) === "ENOENT") return undefined
      throw thrown
    })
  )
  if (text === undefined) return yield* unknown(keyId)
  const stored = Schema.decodeUnknownResult(Stored)(text)
  return Result.isSuccess(stored) && idOf(stored.success.label) === keyId
    ? stored.success
    : yield* refused(doing, `the file of the key ${keyId} has been altered`)
})

/** What the keys of a folder are sealed as, and whom each is bound to. Passes over files that cannot be read, and a folder that is not there yet. */
export const sealedIn = Effect.fnUntraced(function* (folder: string) {
  const doing = "compare the keys with the master keys"
  const ids = yield* Effect.orElseSucceed(idsIn(doing, folder), () => [])
  const files = yield* Effect.forEach(ids, (keyId) =>
    Effect.orElseSucceed(readKey(doing, folder, keyId), () => undefined)
  )
  return files.filter((one) => one !== undefined).map((one) => ({ owner: ownerOf(one), sealed: one.sealed }))
})
