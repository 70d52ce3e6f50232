import { readServeSettings } from "@bursar/cli/config/Settings"
import type { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { layer as layerPostgres } from "@bursar/postgres"
import { EvmDevnet } from "@bursar/simulator-evm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import * as Memory from "../../storage/memory/src/index.ts"
import { layerNetworks } from "../src/assemble/adapters.ts"
import { bindNetworks } from "../src/assemble/bindNetworks.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { environmentOf, migratedDatabase } from "./support/world.ts"

const silent = "http://127.0.0.1:9"

/** The entry of a network of the configuration in NETWORKS. */
const entry = (name: string, chainId: number, ...rpcUrls: ReadonlyArray<string>) => ({
  name,
  family: "evm",
  chain_id: chainId,
  native: { code: `${name.toUpperCase()}_COIN`, name, decimals: 18 },
  finality: 3,
  rpc_urls: rpcUrls,
  fees: { gas_price_max_gwei: "200", transaction_max: "0.2", top_up_max: "0.05" }
})

const settingsOf = (entries: ReadonlyArray<ReturnType<typeof entry>>, env: Readonly<Record<string, string>> = {}) =>
  Result.getOrThrow(
    readServeSettings({
      ...environmentFor("serve", environmentOf("postgres://u:p@127.0.0.1/none")),
      ...(entries.length > 0 && { NETWORKS: JSON.stringify(entries) }),
      ...env
    })
  )

const chainsKnown = Effect.gen(function* () {
  const { all } = yield* KnownNetworks
  return Object.fromEntries((yield* all).map(({ chain, name }) => [name, chain?.id ?? null]))
})

const mistakesOf = (settings: ReturnType<typeof settingsOf>) =>
  Effect.map(Effect.flip(bindNetworks(settings)), (error) => ("mistakes" in error ? error.mistakes : [String(error)]))

/** What the process of these settings reads of a network: the height, or why it reads nothing. */
const heightOn = (settings: ReturnType<typeof settingsOf>, network: string) =>
  Effect.gen(function* () {
    const { reader } = adapterOf(yield* Networks, network)
    return yield* Effect.match(reader.tip, {
      onFailure: ({ detail, reason }) => `${reason}: ${detail}`,
      onSuccess: ({ latest }) => latest.number
    })
  }).pipe(Effect.provide(layerNetworks(settings.networks, settings.currencies), { local: true }))

const databases = {
  memory: Effect.succeed(Layer.fresh(Memory.layer)),
  postgres: Effect.map(migratedDatabase, ({ url }) => layerPostgres({ url: Redacted.make(url), maxConnections: 4 }))
}

/** Two real nodes, of the chains 77007 and 77008. */
const nodes = Effect.map(
  Effect.all(
    [
      EvmDevnet.make({ network: "ethereum", chainId: 77_007 }),
      EvmDevnet.make({ network: "ethereum", chainId: 77_008 })
    ],
    { concurrency: 2 }
  ),
  ([one, other]) => ({ one: one.rpcUrl, other: other.rpcUrl, faults: one.faults })
)

for (const storage of ["memory", "postgres"] as const) {
  const test = (
    name: string,
    run: (urls: Effect.Success<typeof nodes>) => Effect.Effect<void, unknown, KnownCurrencies | KnownNetworks>
  ) =>
    it.live(
      name,
      () =>
        Effect.gen(function* () {
          const [urls, database] = yield* Effect.all([nodes, databases[storage]], { concurrency: 2 })
          yield* Effect.provide(run(urls), database)
        }).pipe(Effect.scoped),
      60_000
    )

  describe(`the names of networks in ${storage}`, () => {
    test("stand for the chain of their nodes from the first start on, and move to no other", ({ one, other }) =>
      Effect.gen(function* () {
        const right = settingsOf([entry("orchard", 77_007, one)])
        yield* bindNetworks(right)
        yield* bindNetworks(right)
        assert.deepStrictEqual(yield* chainsKnown, { orchard: "77007" })
        // the operator changes the chain id along with the node: the node is right, and everything in the database is not
        const moved = settingsOf([entry("orchard", 77_008, other)])
        const [mistake = "", ...more] = yield* mistakesOf(moved)
        assert.match(
          mistake,
          /^NETWORKS: orchard is chain 77008 in the configuration, and chain 77007 in the database/u
        )
        assert.isEmpty(more)
        // a process that was not stopped at its start reads nothing either
        assert.match(String(yield* heightOn(moved, "orchard")), /^other_chain: .*chain 77007 in the database/u)
        assert.isNumber(yield* heightOn(right, "orchard"))
        assert.deepStrictEqual(yield* chainsKnown, { orchard: "77007" })
      }))

    test("are refused with all that is wrong at once, and nothing is remembered then", ({ one, other }) =>
      Effect.gen(function* () {
        yield* bindNetworks(settingsOf([entry("orchard", 77_007, one), entry("grove", 77_008, other)]))
        const before = yield* chainsKnown
        const wrong = settingsOf([entry("orchard", 77_009, silent), entry("heath", 77_010, silent, one, other)], {
          ETHEREUM_RPC_URL: one,
          BSC_RPC_URL: silent
        })
        const mistakes = yield* mistakesOf(wrong)
        const expected = [
          /^NETWORKS: grove is missing, and the database knows it$/u,
          /^NETWORKS: orchard is chain 77009 in the configuration, and chain 77007 in the database/u,
          /^ETHEREUM_RPC_URL: .*the node is of chain 77007, but ethereum is chain 1;/u,
          /^NETWORKS: .*the node is of chain 77007, but heath is chain 77010.* \(node 2 of 3\)$/u,
          /^NETWORKS: .*the node is of chain 77008, but heath is chain 77010.* \(node 3 of 3\)$/u
        ]
        assert.lengthOf(mistakes, expected.length)
        for (const line of expected)
          assert.isTrue(
            mistakes.some((mistake) => line.test(mistake)),
            `${line} in ${mistakes.join("\n")}`
          )
        assert.deepStrictEqual(yield* chainsKnown, before)
      }))

    test("wait for a node that does not answer, or not with sense, and are bound when one confirms them", ({
      faults,
      one,
      other
    }) =>
      Effect.gen(function* () {
        const late = settingsOf([entry("orchard", 77_007, one)])
        yield* faults.inject({ kind: "empty", times: 1_000 })
        yield* bindNetworks(late)
        assert.deepStrictEqual(yield* chainsKnown, { orchard: null })
        assert.isString(yield* heightOn(late, "orchard"))
        // it is known: it cannot be left out any more
        assert.match((yield* mistakesOf(settingsOf([]))).join(), /orchard is missing/u)
        yield* faults.clear
        assert.isNumber(yield* heightOn(late, "orchard"))
        assert.deepStrictEqual(yield* chainsKnown, { orchard: "77007" })
        // another process was configured otherwise while nothing was known yet
        const other77008 = settingsOf([entry("orchard", 77_008, other)])
        assert.match(String(yield* heightOn(other77008, "orchard")), /^other_chain: .*chain 77007 in the database/u)
      }))

    test("that the database had before it knew chains get them at the first start", ({ one }) =>
      Effect.gen(function* () {
        const { note } = yield* KnownNetworks
        yield* note(["ethereum", "orchard"], 0)
        yield* bindNetworks(settingsOf([entry("orchard", 77_007, one)], { NETWORKS_OFF: "ethereum" }))
        assert.deepStrictEqual(yield* chainsKnown, { ethereum: null, orchard: "77007" })
      }))

    test("that are new do not take the chain of another name", ({ one }) =>
      Effect.gen(function* () {
        yield* bindNetworks(settingsOf([entry("orchard", 77_007, one)]))
        const renamed = yield* mistakesOf(settingsOf([entry("grove", 77_007, one)]))
        assert.lengthOf(renamed, 2)
        assert.match(renamed.join("\n"), /orchard is missing/u)
        assert.match(
          renamed.join("\n"),
          /grove is chain 77007, which the database knows as orchard: a chain has one name/u
        )
      }))
  })
}
