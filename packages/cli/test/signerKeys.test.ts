import { readSignSettings } from "@bursar/cli/config/Settings"
import { KeyStore } from "@bursar/core/port/KeyStore"
import * as WriterLive from "@bursar/core/engine/Writer"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { SignerTurn } from "@bursar/core/port/SignerTurn"
import { SigningView } from "@bursar/core/port/SigningView"
import { Vault } from "@bursar/core/port/Vault"
import * as Memory from "@bursar/memory"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import { layer as layerVault } from "@bursar/vault/SealedVault"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Result } from "effect"
import { openSigner } from "../src/assemble/sign.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { tempDir } from "./support/tempDir.ts"
import { environmentOf } from "./support/world.ts"

const view = SigningView.of({
  progress: () => Effect.succeed(undefined),
  progressOfAll: Effect.succeed(new Map()),
  onPrimary: (effect) => effect,
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

const world = Layer.mergeAll(
  WriterLive.layer.pipe(Layer.provideMerge(Memory.layer)),
  Layer.succeed(SigningView, view),
  Layer.succeed(SignerTurn, SignerTurn.of({ take: Effect.succeed({ isHeld: () => true, taken: () => 1 }) }))
)

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

const refusalOf = <A, E extends object, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("mistakes" in error ? String(error.mistakes) : String(error)))

const another = /VAULT_MASTER_KEY: m1 \(fingerprint [0-9a-f]{32}\) is another key than the one that had this id here/u

it.live("a signer does not start with another master key of a known id: nobody could open what it makes", () =>
  Effect.gen(function* () {
    const run = yield* signers
    yield* sealSeed(keyOf("m1", 1))
    const said = yield* refusalOf(run(keyOf("m1", 2)))
    assert.match(said, another)
    assert.include(said, "it opens none of the keys that were encrypted under it")
    assert.match(yield* refusalOf(run(`${keyOf("m2", 3)},${keyOf("m1", 2)}`)), another)
    // the right one, and a rotation to the next
    yield* run(keyOf("m1", 1))
    yield* run(`${keyOf("m2", 2)},${keyOf("m1", 1)}`)
  }).pipe(Effect.provide(world))
)

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
    const logged: Array<string> = []
    const run = yield* signers
    yield* sealSeed(keyOf("m1", 1))
    yield* run(keyOf("m2", 2)).pipe(
      Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
    )
    const told = logged.filter((line) => line.includes("signer.master_key_missing"))
    assert.lengthOf(told, 1)
    assert.include(told.join(), `"masterKey":"m1"`)
  }).pipe(Effect.provide(world))
)

it.live("a signer does not start with another master key than that of the seals that it remembers", () =>
  Effect.gen(function* () {
    const run = yield* signers
    const audit = yield* OperatorAudit
    yield* audit.append({
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
