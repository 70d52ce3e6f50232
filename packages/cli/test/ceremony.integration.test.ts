import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newTokens, softHsm, testPin } from "../../custody/pkcs11/test/support/softHsm.ts"
import { fingerprints, holdCeremony, restore } from "../src/assemble/ceremony.ts"
import { withMasterKeyFile } from "../src/assemble/masterKeyFile.ts"
import { CommandFailed } from "../src/config/CommandFailed.ts"
import { bursar } from "./support/bursar.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-ceremony-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const plan = (path: string, wrap?: string) => ({ folder: path, keyId: "k1", shares: 4, needed: 2, wrap })

describe("bursar vault ceremony", () => {
  it.live("leaves no file where one of them cannot be written: their key is nowhere", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        // nothing is there, and nothing can be made in its place
        symlinkSync(join(path, "nowhere"), join(path, "share-3-of-4.json"))
        const { message } = yield* Effect.flip(holdCeremony(plan(path), {}))
        assert.include(message, "share-3-of-4.json")
        assert.include(message, "has left no file")
        assert.deepStrictEqual(readdirSync(path), ["share-3-of-4.json"])
      })
    )
  )

  it.live("makes a key and shares for their owner alone, never over another, and a quorum restores the same key", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = join(yield* folder, "ceremony")
        const ceremony = ["vault", "ceremony", "--out", path, "--shares", "3", "--needed", "2", "--id", "k1", "--json"]
        const held = yield* bursar(ceremony)
        assert.strictEqual(held.code, 0, held.stderr)
        const { fingerprint, quorums_proven } = JSON.parse(held.stdout)
        assert.strictEqual(quorums_proven, 3)
        const names = readdirSync(path)
        assert.sameMembers(names, ["master-key", "share-1-of-3.json", "share-2-of-3.json", "share-3-of-3.json"])
        for (const name of names) assert.strictEqual(statSync(join(path, name)).mode & 0o777, 0o600)
        const text = readFileSync(join(path, "master-key"), "utf8")
        assert.match(text, /^k1:[A-Za-z0-9+/]{43}=\n$/u)
        assert.notInclude(held.stdout + held.stderr, text.trim().slice(3))

        const again = yield* bursar(ceremony)
        assert.notStrictEqual(again.code, 0)
        assert.include(again.stderr, "is not overwritten")
        assert.strictEqual(readFileSync(join(path, "master-key"), "utf8"), text)

        const [one, other] = ["share-1-of-3.json", "share-3-of-3.json"].map((name) => join(path, name))
        const out = join(path, "restored")
        const restored = yield* bursar([
          "vault",
          "restore",
          "--share",
          `${one}`,
          "--share",
          `${other}`,
          "--out",
          out,
          "--json"
        ])
        assert.strictEqual(restored.code, 0, restored.stderr)
        assert.strictEqual(JSON.parse(restored.stdout).fingerprint, fingerprint)
        assert.strictEqual(readFileSync(out, "utf8"), text)
        assert.strictEqual(statSync(out).mode & 0o777, 0o600)

        const shown = yield* bursar(["vault", "fingerprint", "--json"], { env: { VAULT_MASTER_KEY_FILE: out } })
        assert.deepStrictEqual(JSON.parse(shown.stdout), [{ key_id: "k1", fingerprint, current: true }])
        const tooFew = yield* bursar(["vault", "restore", "--share", `${one}`])
        assert.notStrictEqual(tooFew.code, 0)
        assert.include(tooFew.stderr, "2 shares restore the key, and 1 were given")
      })
    )
  )

  it.live("refuses shares of two ceremonies and a damaged one by its file, and writes nothing then", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* holdCeremony(plan(join(path, "a")), {})
        yield* holdCeremony(plan(join(path, "b")), {})
        const out = join(path, "out")
        const attempt = (...paths: ReadonlyArray<string>) =>
          Effect.map(
            Effect.flip(restore({ paths: paths.map((one) => join(path, one)), out, wrap: undefined }, {})),
            ({ message }) => message
          )
        assert.include(yield* attempt("a/share-1-of-4.json", "b/share-2-of-4.json"), "not of the same key")
        const damaged = join(path, "a/share-2-of-4.json")
        const text = readFileSync(damaged, "utf8")
        const at = text.indexOf('"data"') + 12
        writeFileSync(damaged, `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`)
        assert.include(yield* attempt("a/share-1-of-4.json", "a/share-2-of-4.json"), "share-2-of-4.json is damaged")
        assert.include(yield* attempt("a/share-1-of-4.json", "nowhere.json"), "cannot be read")
        assert.notInclude(readdirSync(path), "out")
      })
    )
  )

  it.live("a file of a master key and the variable exclude one another, and a strange file is refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = join(yield* folder, "key")
        const refused = (variables: Readonly<Record<string, string>>) => Effect.flip(withMasterKeyFile(variables))
        assert.instanceOf(yield* refused({ VAULT_MASTER_KEY: "a", VAULT_MASTER_KEY_FILE: path }), CommandFailed)
        assert.instanceOf(yield* refused({ VAULT_MASTER_KEY_FILE: path }), CommandFailed)
        for (const text of [
          "{",
          "{}",
          '{"bursar":"wrapped master keys","version":1,"wrapped_by":"nobody","keys":[]}'
        ]) {
          writeFileSync(path, text, { mode: 0o600 })
          assert.instanceOf(yield* refused({ VAULT_MASTER_KEY_FILE: path }), CommandFailed)
        }
        writeFileSync(path, "k1:key\n")
        for (const mode of [0o604, 0o640, 0o620, 0o644]) {
          chmodSync(path, mode)
          assert.match(String(yield* refused({ VAULT_MASTER_KEY_FILE: path })), /others than its owner/u)
        }
        chmodSync(path, 0o400)
        assert.deepStrictEqual(yield* withMasterKeyFile({ VAULT_MASTER_KEY_FILE: path }), {
          VAULT_MASTER_KEY: "k1:key"
        })
      })
    ).pipe(Effect.provide(NodeServices.layer))
  )
})

describe.skipIf(softHsm.skipped !== "")(`a wrapped master key on a token of SoftHSM${softHsm.skipped}`, () => {
  it.live("is in its file for the token alone, and for its own id; a PIN that others can read is refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* Effect.acquireRelease(
          Effect.sync(() => newTokens(["ceremony"])),
          ({ remove }) => Effect.sync(remove)
        )
        const pin = join(path, "pin")
        writeFileSync(pin, `${testPin}\n`, { mode: 0o600 })
        const variables = {
          PKCS11_MODULE: softHsm.module,
          PKCS11_TOKEN: "ceremony",
          PKCS11_PIN_FILE: pin,
          PKCS11_WRAPPING_KEY: "bursar-master"
        }
        const held = yield* holdCeremony(plan(join(path, "c"), "pkcs11"), variables)
        const file = join(path, "c", "master-key")
        const wrapped = JSON.parse(readFileSync(file, "utf8"))
        assert.strictEqual(wrapped.wrapped_by, "pkcs11")
        const starting = { ...variables, VAULT_MASTER_KEY_FILE: file }
        assert.deepStrictEqual(yield* fingerprints(starting), [
          { key_id: "k1", fingerprint: held.fingerprint, current: true }
        ])
        const { VAULT_MASTER_KEY: unwrapped = "" } = yield* withMasterKeyFile(starting)
        assert.notInclude(readFileSync(file, "utf8"), unwrapped.slice(3))

        // another id in the file: the current key could be made one that somebody else has wrapped
        writeFileSync(file, JSON.stringify({ ...wrapped, keys: [{ ...wrapped.keys[0], id: "k2" }] }))
        assert.include((yield* Effect.flip(fingerprints(starting))).message, "was altered")
        writeFileSync(file, JSON.stringify(wrapped))
        chmodSync(pin, 0o644)
        assert.include((yield* Effect.flip(fingerprints(starting))).message, "others than its owner can read")
        chmodSync(pin, 0o600)
        const { PKCS11_WRAPPING_KEY: _label, ...without } = starting
        assert.include((yield* Effect.flip(fingerprints(without))).message, "PKCS11_WRAPPING_KEY is missing")
      })
    ).pipe(Effect.provide(NodeServices.layer))
  )
})
