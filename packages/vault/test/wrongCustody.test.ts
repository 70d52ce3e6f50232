import type { KeyCustody } from "@bursar/core/port/KeyCustody"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { CustodyUnderTest, keyCustodyTests } from "@bursar/testkit/suites/keyCustodySuite"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`test:${Buffer.alloc(32, 1).toString("base64")}`)))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-custody-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A custody that keeps keys under other labels than it is asked for, and tells those of the wish. */
const keeping = (right: KeyCustody, change: (label: string) => string): KeyCustody => {
  const wished = new Map<string, string>()
  const told = <A extends { readonly keyId: string; readonly label: string }>(key: A): A => ({
    ...key,
    label: wished.get(key.keyId) ?? key.label
  })
  return {
    ...right,
    generate: ({ curve, label }) =>
      // what is no label is refused as it is
      Effect.map(right.generate({ curve, label: label.length > 128 ? label : change(label) }), (key) => {
        wished.set(key.keyId, label)
        return told(key)
      }),
    describe: (keyId) => Effect.map(right.describe(keyId), told),
    list: Effect.map(right.list, (keys) => keys.map(told))
  }
}

const wrongs: Readonly<Record<string, (label: string) => string>> = {
  "cuts labels after 46 characters": (label) => label.slice(0, 46),
  "cuts labels after 127 characters": (label) => label.slice(0, 127),
  "does not tell capitals from small letters": (label) => label.toLowerCase(),
  "does not tell / from _": (label) => label.replaceAll("/", "_"),
  "does not tell - from _": (label) => (/^[A-Za-z0-9]/u.test(label) ? label.replaceAll("-", "_") : label),
  "leaves out a second /": (label) => (label.startsWith(".") ? label : label.replaceAll(/\/+/gu, "/"))
}

it.live.each(Object.entries(wrongs))("a custody that %s is refused", ([, change]) =>
  Effect.gen(function* () {
    const world = Effect.flatMap(folder, (path) =>
      Effect.map(makeSealedCustody(masterKeys, join(path, "keys")), (right) => ({ custody: keeping(right, change) }))
    )
    const found = yield* failuresOf(Layer.effect(CustodyUnderTest, world), (tests) =>
      keyCustodyTests(tests, { digests: 2 })
    )
    assert.deepStrictEqual(found, [
      "labels that differ in little have keys of their own, each under the whole of its label"
    ])
  })
)
