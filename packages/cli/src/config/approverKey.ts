import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import type { Approval } from "@bursar/core/grant/Approval"
import { approvalText } from "@bursar/core/grant/grantHash"
import { Effect, FileSystem, Option, Redacted } from "effect"
import { Prompt } from "effect/cli"
import { CommandFailed } from "./CommandFailed.ts"

/** The shortest passphrase of a key file: the file's format makes guessing cheap, so the passphrase must not be guessable. */
const passphraseLengthMin = 16

/** The bits of a file's mode that let others than its owner read or write it. */
const othersMask = 0o077

const failed = (message: string) => new CommandFailed({ message })

/** The public side of a key as approvers' sets hold it: 32 bytes, base64url. */
const publicKeyOf = (key: KeyObject): string => createPublicKey(key).export({ format: "jwk" }).x ?? ""

const fromFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), () => failed(`The file ${path} cannot be read.`))
  return Redacted.make(text.replace(/\r?\n$/u, ""))
})

const nobody = () => failed("There is no passphrase: type it at a terminal, or name a file with --passphrase-file.")

const ask = Effect.fnUntraced(function* (message: string) {
  // a pipe would be waited for, and would show what is typed
  if (!process.stdin.isTTY) return yield* nobody()
  return yield* Effect.mapError(Prompt.Hidden({ message }), nobody)
})

/** The passphrase of a key file that is there. */
export const askPassphrase = (file: Option.Option<string>) =>
  Option.match(file, { onNone: () => ask("Passphrase of the key"), onSome: fromFile })

/** The passphrase of a new key file: typed twice, or read from a file, and long enough. */
export const newPassphrase = Effect.fn("approverKey.newPassphrase")(function* (file: Option.Option<string>) {
  const passphrase = yield* askPassphrase(file)
  if (Redacted.value(passphrase).length < passphraseLengthMin)
    return yield* failed(`The passphrase is too short: use at least ${passphraseLengthMin} characters.`)
  if (Option.isSome(file)) return passphrase
  const again = yield* ask("The same passphrase again")
  if (Redacted.value(again) !== Redacted.value(passphrase)) return yield* failed("The two passphrases differ.")
  return passphrase
})

/** Makes an Ed25519 key in a file of its owner's alone (PKCS #8, encrypted with AES-256). A file that is there is never overwritten. */
export const makeApproverKey = Effect.fn("approverKey.make")(function* (path: string, passphrase: Redacted.Redacted) {
  const files = yield* FileSystem.FileSystem
  const { privateKey } = generateKeyPairSync("ed25519")
  const pem = privateKey.export({
    format: "pem",
    type: "pkcs8",
    cipher: "aes-256-cbc",
    passphrase: Redacted.value(passphrase)
  })
  yield* Effect.mapError(files.writeFileString(path, pem.toString(), { flag: "wx", mode: 0o600 }), () =>
    failed(`The file ${path} cannot be made. If it is there already, choose another: a key is never overwritten.`)
  )
  return publicKeyOf(privateKey)
})

/** A person's key, ready to sign. */
export interface OpenedKey {
  readonly publicKey: string
  /** The person's word for the grant of a hash. */
  readonly approve: (hash: string) => Extract<Approval, { readonly type: "ed25519" }>
}

/** Opens a key file. One that others than its owner may read is refused. */
export const openApproverKey = Effect.fn("approverKey.open")(function* (
  path: string,
  passphraseFile: Option.Option<string>
) {
  const files = yield* FileSystem.FileSystem
  const info = yield* Effect.mapError(files.stat(path), () => failed(`The key file ${path} cannot be read.`))
  if (process.platform !== "win32" && (info.mode & othersMask) !== 0)
    return yield* failed(`Others can read the key file ${path}: run chmod 600 on it.`)
  const pem = yield* Effect.mapError(files.readFileString(path), () => failed(`The key file ${path} cannot be read.`))
  const passphrase = yield* askPassphrase(passphraseFile)
  const key = yield* Effect.try({
    try: () => createPrivateKey({ key: pem, passphrase: Redacted.value(passphrase) }),
    catch: () => failed(`The key file ${path} cannot be opened: the passphrase is wrong, or it is no key file.`)
  })
  if (key.asymmetricKeyType !== "ed25519") return yield* failed(`${path} is no Ed25519 key.`)
  const publicKey = publicKeyOf(key)
  const opened: OpenedKey = {
    publicKey,
    approve: (hash) => ({
      type: "ed25519",
      key: publicKey,
      signature: sign(null, Buffer.from(approvalText(hash)), key).toString("base64url")
    })
  }
  return opened
})
