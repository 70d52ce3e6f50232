import { readSignSettings } from "@bursar/cli/config/Settings"
import { StorageError } from "@bursar/core/engine/StorageError"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { SigningView } from "@bursar/core/port/SigningView"
import * as Memory from "@bursar/memory"
import { openStore } from "@bursar/signer"
import { grantTenant, testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Result } from "effect"
import { appendFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerGrantsOf } from "../src/assemble/grants.ts"
import { openSigner, takeRestoredStore } from "../src/assemble/sign.ts"
import { layerAloneSigner, nothingSigned } from "./support/aloneSigner.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { environmentOf } from "./support/world.ts"

const ports = Layer.mergeAll(Memory.layer, layerAloneSigner)

/** Why a signer does not start. */
const reasonOf = (error: object): string => ("mistakes" in error ? String(error.mistakes) : String(error))

it.live("a signer that went by grants does not start without a root: rows would decide who is paid", () =>
  Effect.gen(function* () {
    const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
    const settings = Result.getOrThrow(readSignSettings(env))
    const starts = Effect.scoped(openSigner(settings)).pipe(Effect.provide(ports))
    // a store that knows no grants is that of a service without them
    yield* starts
    yield* Effect.scoped(
      Effect.flatMap(openStore({ directory: settings.store }, nothingSigned), ({ commit }) =>
        commit({ _tag: "GrantHead", tenantId: null, number: 1, hash: "ab" })
      )
    )
    const error = yield* Effect.flip(starts)
    assert.match(reasonOf(error), /^GRANT_ROOT is missing, and the store/u)
  })
)

it.live("a word that the database was restored begins no store: an empty one is that of another directory", () =>
  Effect.gen(function* () {
    const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
    const settings = Result.getOrThrow(readSignSettings(env))
    const restored = takeRestoredStore(settings).pipe(Effect.provide(ports))
    const signedBefore = SigningView.of({
      ...nothingSigned,
      newestSignatures: () => Effect.succeed([{ network: "tron", hash: "ab", signedAt: 1 }])
    })
    const overSigned = Effect.provideService(takeRestoredStore(settings), SigningView, signedBefore).pipe(
      Effect.provide(ports)
    )
    for (const attempt of [restored, restored, overSigned])
      assert.match(String(yield* Effect.flip(attempt)), /the store is empty.*use the directory of the signer's store/u)
    yield* Effect.scoped(openStore({ directory: settings.store }, nothingSigned))
    assert.deepInclude(yield* restored, { lost: [], isTaken: true })
  })
)

/** Chains of which only the ends are asked for. */
const chainsOf = (ends: GrantStore["Service"]["ends"]) =>
  GrantStore.of({
    after: () => Effect.succeed([]),
    ends,
    proposals: () => Effect.succeed([]),
    proposal: () => Effect.succeed(undefined)
  })

const granted = chainsOf(Effect.succeed([{ tenantId: grantTenant, number: 1 }]))
const silent = chainsOf(Effect.fail(new StorageError({ doing: "read the ends", cause: "silent" })))

/** A signer's settings without a root, and the file of its store. */
const rootless = Effect.sync(() => {
  const settings = Result.getOrThrow(
    readSignSettings(environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none")))
  )
  return { settings, file: join(settings.store, "signed.log") }
})

it.live(
  "no store begins without a root where there are grants: rows would decide who is paid, and nothing would tell",
  () =>
    Effect.gen(function* () {
      for (const word of [undefined, "recover", "adopt"] as const) {
        const { settings } = yield* rootless
        const starts = (chains: GrantStore["Service"]) =>
          Effect.scoped(openSigner(settings, word)).pipe(
            Effect.provideService(GrantStore, chains),
            Effect.provide(ports)
          )
        assert.match(String(yield* Effect.flip(starts(granted))), /GRANT_ROOT is missing, and the database has grants/u)
        assert.match(String(yield* Effect.flip(starts(silent))), /the database does not answer/u)
        // what was refused has begun nothing
        assert.match(String(yield* Effect.flip(starts(granted))), /GRANT_ROOT is missing/u, word ?? "no word")
        yield* starts(chainsOf(Effect.succeed([])))
      }
    })
)

it.live("a signer that is there goes on without a root while the first grants are made", () =>
  Effect.gen(function* () {
    const { settings } = yield* rootless
    yield* Effect.scoped(openStore({ directory: settings.store }, nothingSigned))
    yield* Effect.scoped(openSigner(settings)).pipe(Effect.provideService(GrantStore, granted), Effect.provide(ports))
  })
)

const wentByGrants = /GRANT_ROOT is missing, and the store of this signer says that it went by grants/u

it.live(
  "a signer that began or was recovered with a root goes by grants for good, though no chain was shown to it",
  () =>
    Effect.gen(function* () {
      const root = testRoot(yield* Effect.all([testApprover("ann", 1), testApprover("bob", 2)]), 1)
      const { settings } = yield* rootless
      const starts = (grantRoot: typeof root | null, word?: "recover") =>
        Effect.scoped(openSigner({ ...settings, grantRoot }, word)).pipe(
          Effect.provideService(GrantStore, chainsOf(Effect.succeed([]))),
          Effect.provide(ports)
        )
      // a store from before this was remembered says so, too, from its next start on
      yield* starts(null)
      for (const word of [undefined, "recover"] as const) {
        yield* starts(root, word)
        assert.match(reasonOf(yield* Effect.flip(starts(null))), wentByGrants)
        assert.match(reasonOf(yield* Effect.flip(starts(null, "recover"))), wentByGrants)
      }
      const first = { ...settings, store: `${settings.store}-first` }
      yield* Effect.scoped(openSigner({ ...first, grantRoot: root })).pipe(Effect.provide(ports))
      assert.match(
        reasonOf(yield* Effect.flip(Effect.scoped(openSigner(first)).pipe(Effect.provide(ports)))),
        wentByGrants
      )
    })
)

it.live("a signer that went by grants is not recovered without a root, whatever the database shows", () =>
  Effect.gen(function* () {
    const { file, settings } = yield* rootless
    yield* Effect.scoped(
      Effect.flatMap(openStore({ directory: settings.store }, nothingSigned), ({ commit }) =>
        commit({ _tag: "GrantHead", tenantId: null, number: 1, hash: "ab" })
      )
    )
    const recovers = Effect.scoped(openSigner(settings, "recover")).pipe(Effect.provide(ports))
    assert.match(String(yield* Effect.flip(recovers)), wentByGrants)
    assert.deepStrictEqual(
      readdirSync(settings.store).filter((name) => name.startsWith("signed.log.")),
      []
    )
    // as far as it can be read, a damaged store says the same
    appendFileSync(file, Buffer.alloc(80, 1))
    assert.match(String(yield* Effect.flip(recovers)), wentByGrants)
    writeFileSync(file, "nothing that can be read")
    yield* recovers
  })
)

/** A root whose quorum was meant for grants of the kind `destination`. */
const mistyped = Effect.map(Effect.all([testApprover("ann", 1), testApprover("bob", 2)]), (people) => ({
  ...testRoot(people, 1),
  quorums: { destinations: "2" }
}))

const refusedAsNew = "GRANT_ROOT: quorums: destinations is no kind of grant"

it.live("a signer takes no new root with a quorum of no kind, and goes on by one that its chains follow on", () =>
  Effect.gen(function* () {
    const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
    const given = { ...env, GRANT_ROOT: JSON.stringify(yield* mistyped) }
    const settings = Result.getOrThrow(readSignSettings(given))
    const starts = Effect.scoped(openSigner(settings)).pipe(Effect.provide(ports))
    assert.strictEqual((yield* Effect.flip(starts)).message, refusedAsNew)
    // what the signer has seen counts, though the database shows nothing
    yield* Effect.scoped(
      Effect.flatMap(openStore({ directory: settings.store }, nothingSigned), ({ commit }) =>
        commit({ _tag: "GrantHead", tenantId: null, number: 1, hash: "ab" })
      )
    )
    yield* starts
  })
)

it.effect("the service takes no new root with a quorum of no kind, and goes on by one that a chain follows on", () =>
  Effect.gen(function* () {
    const grantRoot = yield* mistyped
    const starts = (ends: GrantStore["Service"]["ends"]) =>
      Effect.scoped(Layer.build(layerGrantsOf({ grantHeads: null, grantRoot }))).pipe(
        Effect.provideService(GrantStore, chainsOf(ends))
      )
    assert.strictEqual((yield* Effect.flip(starts(Effect.succeed([])))).message, refusedAsNew)
    yield* starts(Effect.succeed([{ tenantId: grantTenant, number: 1 }]))
    // a database that is silent says nothing of the root
    yield* starts(Effect.fail(new StorageError({ doing: "read the ends", cause: "silent" })))
  })
)

it.effect("the service says at its start that it goes by rows", () =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    yield* Effect.scoped(Layer.build(layerGrantsOf({ grantHeads: null, grantRoot: null }))).pipe(
      Effect.provideService(GrantStore, granted),
      Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]))
    )
    assert.lengthOf(logged, 1)
    assert.include(logged.join(), "grant.no_root")
  })
)

it.live(
  "a signer does not start with currencies that are others than those of the database: its limits would be too",
  () =>
    Effect.gen(function* () {
      const env = environmentFor("sign", environmentOf("postgres://u:p@127.0.0.1/none"))
      const orchard = (decimals: number) => ({
        name: "orchard",
        family: "evm",
        chain_id: 77_007,
        environment: "test",
        native: { code: "PLUM", name: "Plum", decimals },
        finality: 3,
        rpc_urls: ["http://127.0.0.1:9"]
      })
      const startsWith = (decimals: number) =>
        Effect.scoped(
          openSigner(Result.getOrThrow(readSignSettings({ ...env, NETWORKS: JSON.stringify([orchard(decimals)]) })))
        )
      const { all, bind } = yield* KnownCurrencies
      // it may be there before anything is bound, and binds nothing itself
      yield* startsWith(18)
      assert.isEmpty(yield* all)
      yield* bind(
        [{ code: "PLUM", network: "orchard", contract: null, decimals: 8, environment: "SANDBOX" }],
        Date.UTC(2026, 0)
      )
      const error = yield* Effect.flip(startsWith(18))
      const said = "mistakes" in error ? error.mistakes : [String(error)]
      assert.lengthOf(said, 1)
      assert.match(said.join(), /PLUM is of 18 decimals in the configuration, and of 8 in the database/u)
      yield* startsWith(8)
      // a network that it is told nothing of is a main one to it: it refuses payments of SANDBOX tenants there, and signs all others
      const others = { network: "stellar", contract: null, decimals: 7 } as const
      yield* bind([{ ...others, code: "XLM", environment: "SANDBOX" }], Date.UTC(2026, 0))
      yield* startsWith(8)
      yield* bind(
        [{ ...others, code: "ETH", network: "ethereum", decimals: 18, environment: "LIVE" }],
        Date.UTC(2026, 0)
      )
      const test = Result.getOrThrow(readSignSettings({ ...env, ETHEREUM_CHAIN: "local" }))
      const taken = yield* Effect.flip(Effect.scoped(openSigner(test)))
      assert.include(
        "mistakes" in taken ? taken.mistakes.join() : String(taken),
        "ETH is of the environment test in the configuration, and main in the database"
      )
    }).pipe(Effect.provide(Layer.fresh(ports)))
)
