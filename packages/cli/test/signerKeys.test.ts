import { readSignSettings } from "@bursar/cli/config/Settings"
import { KeyStore } from "@bursar/core/port/KeyStore"
import * as WriterLive from "@bursar/core/engine/Writer"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Vault } from "@bursar/core/port/Vault"
import * as Memory from "@bursar/memory"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import { layer as layerVault } from "@bursar/vault/SealedVault"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Result } from "effect"
import { openSigner } from "../src/assemble/sign.ts"
import { layerAloneSigner } from "./support/aloneSigner.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf } from "./support/world.ts"

const world = Layer.mergeAll(WriterLive.layer.pipe(Layer.provideMerge(Memory.layer)), layerAloneSigner)

const keyOf = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString("base64")}`

/** Runs a signer with those master keys over one store, as a process that is started anew. */
const signers = Effect.sync(() => {
  const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
  return (
    keys: string,
    { more = {}, seals = false }: { readonly more?: Readonly<Record<string, string>>; readonly seals?: boolean } = {}
  ) =>
    Effect.gen(function* () {
      const settings = Result.getOrThrow(readSignSettings({ ...env, VAULT_MASTER_KEY: keys, ...more }))
      const { services } = yield* openSigner(settings)
      if (seals) yield* Context.get(services, AuditSealer).seal(0)
    }).pipe(Effect.scoped)
})

/** Seals the seed of a new tenant. */
const sealSeed = Effect.fnUntraced(function* (key: string, slug = "acme") {
  const { id } = yield* newTenant({ slug })
  const keys = Result.getOrThrow(parseMasterKeys(Redacted.make(key)))
  const vault = layerVault(keys, presetNetworks).pipe(Layer.provide(Layer.succeed(KeyStore, yield* KeyStore)))
  yield* Effect.flatMap(Vault, ({ createSeed }) => createSeed(id)).pipe(Effect.provide(vault))
})

/** What an operator did, for a seal to cover. */
const act = Effect.flatMap(OperatorAudit, ({ append }) =>
  append({
    actionId: crypto.randomUUID(),
    at: 1,
    operator: "alice",
    role: "admin",
    method: "POST",
    route: "/",
    params: {},
    status: 201,
    requestId: "r",
    address: "",
    content: null
  })
)

/** Collects the lines of one event. */
const collected = (event: string) => {
  const lines: Array<string> = []
  return {
    logs: Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]),
    told: () => lines.filter((line) => line.includes(event))
  }
}

const refusalOf = <A, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("mistakes" in error ? String(error.mistakes) : String(error)))

const another = /VAULT_MASTER_KEY: m1 \(fingerprint [0-9a-f]{32}\) is another key than the one that had this id here/u

it.live("a signer does not start with another master key of a known id: nobody could open what it makes", () =>
  Effect.gen(function* () {
    const run = yield* signers
    // nothing is sealed yet
    yield* run(keyOf("m1", 1))
    const said = yield* refusalOf(run(keyOf("m1", 2)))
    assert.match(said, another)
    assert.include(said, "the signer's store knows it by what it gives")
    assert.match(yield* refusalOf(run(`${keyOf("m2", 3)},${keyOf("m1", 2)}`)), another)
    // the right one, and a rotation to the next, which is known from then on
    yield* run(keyOf("m1", 1))
    yield* run(`${keyOf("m2", 2)},${keyOf("m1", 1)}`)
    assert.include(yield* refusalOf(run(keyOf("m2", 1))), "VAULT_MASTER_KEY: m2")
    // another that was used before, by mistake, makes no difference
    yield* sealSeed(keyOf("m1", 2))
    assert.match(yield* refusalOf(run(keyOf("m1", 2))), another)
  }).pipe(Effect.provide(world))
)

it.live(
  "a signer tells which key its master key does not open, and takes no master key for known that does not open all",
  () =>
    Effect.gen(function* () {
      const run = yield* signers
      yield* sealSeed(keyOf("m1", 1))
      const [row] = yield* (yield* KeyStore).page(undefined, 1)
      const { logs, told } = collected("signer.master_key_doubted")
      yield* run(keyOf("m1", 2)).pipe(Effect.provide(logs))
      assert.lengthOf(told(), 1)
      for (const field of [
        `"masterKey":"m1"`,
        `"tenantId":"${row?.tenantId}"`,
        `"kind":"SEED"`,
        `"keyId":"${row?.id}"`
      ])
        assert.include(told().join(), field)
      assert.include(told().join(), `"opensOthers":false`)
      // what it makes meanwhile it opens, and the right one is no other than before
      yield* sealSeed(keyOf("m1", 2), "meanwhile")
      yield* run(keyOf("m1", 2)).pipe(Effect.provide(logs))
      assert.lengthOf(told(), 2)
      assert.include(told().join(), `"opensOthers":true`)
      yield* run(keyOf("m1", 1))
    }).pipe(Effect.provide(world))
)

/** Writes what whoever writes to the database can, without any key. */
const writeRow = Effect.fnUntraced(function* (masterKey: string) {
  const { id } = yield* newTenant({ slug: "strange" })
  const key = { tenantId: id, id: crypto.randomUUID(), kind: "WRAPPING", createdAt: 1 } as const
  yield* (yield* KeyStore).putFirst({ ...key, sealed: `v2.${masterKey}.AAAA.AAAA` })
})

describe("one row that somebody wrote keeps no signer from starting", () => {
  const rotation = `${keyOf("m2", 2)},${keyOf("m1", 1)}`

  it.live("under the new id of a rotation, before anything is sealed under it", () =>
    Effect.gen(function* () {
      const run = yield* signers
      yield* sealSeed(keyOf("m1", 1))
      yield* run(keyOf("m1", 1))
      yield* writeRow("m2")
      yield* run(rotation)
      yield* sealSeed(keyOf("m2", 2), "later")
      yield* run(rotation)
      yield* run(keyOf("m2", 2))
    }).pipe(Effect.provide(world))
  )

  it.live("under the earlier id of a rotation, while its key is still listed", () =>
    Effect.gen(function* () {
      const run = yield* signers
      yield* sealSeed(keyOf("m2", 2))
      yield* writeRow("m1")
      yield* run(rotation)
    }).pipe(Effect.provide(world))
  )

  it.live("where no other key is sealed, and the store remembers a seal by the right one", () =>
    Effect.gen(function* () {
      const run = yield* signers
      yield* writeRow("m1")
      yield* act
      yield* run(keyOf("m1", 1), { seals: true })
      yield* run(keyOf("m1", 1))
      assert.include(yield* refusalOf(run(keyOf("m1", 2))), "seal 1 of the audit log was not made with it")
    }).pipe(Effect.provide(world))
  )
})

it.live("a signer starts where one of several keys was altered: that one opens with no master key", () =>
  Effect.gen(function* () {
    const run = yield* signers
    const store = yield* KeyStore
    for (const slug of ["a", "b"]) yield* sealSeed(keyOf("m1", 1), slug)
    const [first, second] = yield* store.page(undefined, 2)
    if (first === undefined || second === undefined) return assert.fail("two keys were sealed")
    yield* store.reseal(first, second.sealed)
    yield* run(keyOf("m1", 1))
    return undefined
  }).pipe(Effect.provide(world))
)

it.live("a signer says at its start which master key is missing, and starts: it can come back", () =>
  Effect.gen(function* () {
    const run = yield* signers
    yield* sealSeed(keyOf("m1", 1))
    const { logs, told } = collected("signer.master_key_missing")
    yield* run(keyOf("m2", 2)).pipe(Effect.provide(logs))
    assert.lengthOf(told(), 1)
    assert.include(told().join(), `"masterKey":"m1"`)
  }).pipe(Effect.provide(world))
)

it.live("a signer does not start with another master key than that of the seals that it remembers", () =>
  Effect.gen(function* () {
    const run = yield* signers
    yield* act
    // the row keeps the store from knowing the key by itself
    yield* writeRow("m1")
    yield* run(keyOf("m1", 1), { seals: true })
    const said = yield* refusalOf(run(keyOf("m1", 2)))
    assert.match(said, another)
    assert.include(said, "seal 1 of the audit log was not made with it")
    yield* run(`${keyOf("m2", 2)},${keyOf("m1", 1)}`)
  }).pipe(Effect.provide(world))
)

it.live("a signer does not start with another master key than that of the files of its sealed custody", () =>
  Effect.gen(function* () {
    const run = yield* signers
    const folder = yield* tempDir
    const more = { KEY_CUSTODY: "sealed", SEALED_CUSTODY_DIRECTORY: folder }
    const keys = Result.getOrThrow(parseMasterKeys(Redacted.make(keyOf("m1", 1))))
    yield* (yield* makeSealedCustody(keys, folder)).generate({ label: "a", curve: "secp256k1" })
    assert.match(yield* refusalOf(run(keyOf("m1", 2), { more })), another)
    yield* run(keyOf("m1", 1), { more })
  }).pipe(Effect.provide(world))
)
