import { readServeSettings } from "@bursar/cli/config/Settings"
import { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import * as Memory from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { bindNetworks } from "../src/assemble/bindNetworks.ts"
import { checkCurrencies } from "../src/assemble/checkCurrencies.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { environmentOf } from "./support/world.ts"

const contract = `0x${"ab".repeat(20)}`
const usdc = { code: "USDC_ORCHARD", name: "USD Coin", contract, decimals: 6 }

const settingsOf = (tokens: ReadonlyArray<typeof usdc>, environment = "test", coin = "PLUM") =>
  Result.getOrThrow(
    readServeSettings({
      ...environmentFor("serve", environmentOf("postgres://u:p@127.0.0.1/none")),
      NETWORKS: JSON.stringify([
        {
          name: "orchard",
          family: "evm",
          chain_id: 77_007,
          environment,
          native: { code: coin, name: "Plum", decimals: 18 },
          tokens,
          finality: 3,
          rpc_urls: ["http://127.0.0.1:9"]
        }
      ])
    })
  )

/** A service with nodes of these networks of the contract. */
const presets = (env: Readonly<Record<string, string>>) =>
  Result.getOrThrow(
    readServeSettings({ ...environmentFor("serve", environmentOf("postgres://u:p@127.0.0.1/none")), ...env })
  )

const mistakesOf = (settings: ReturnType<typeof settingsOf>) =>
  Effect.map(Effect.flip(bindNetworks(settings)), (error) => ("mistakes" in error ? error.mistakes : [String(error)]))

const test = (name: string, run: Effect.Effect<void, unknown, Layer.Success<typeof Memory.layer>>) =>
  it.live(name, () => Effect.provide(run, Layer.fresh(Memory.layer)))

describe("the currencies of a database", () => {
  test(
    "keep their decimals, asset and environment: a start that makes another currency of one is refused",
    Effect.gen(function* () {
      yield* bindNetworks(settingsOf([usdc]))
      const { all } = yield* KnownCurrencies
      const before = yield* all
      assert.deepStrictEqual(
        before.map(({ code }) => code),
        ["EUR", "GBP", "PLUM", "USD", "USDC_ORCHARD"]
      )
      for (const [expected, settings] of [
        [/USDC_ORCHARD is of 18 decimals in the configuration, and of 6 in/u, settingsOf([{ ...usdc, decimals: 18 }])],
        [
          /USDC_ORCHARD is the token 0x2{40} of orchard in the configuration, and the token 0x(?:ab){20} of orchard in/u,
          settingsOf([{ ...usdc, contract: `0x${"22".repeat(20)}` }])
        ],
        [/USDC_ORCHARD is missing, and the database knows it/u, settingsOf([])],
        [/PLUM is missing, and the database knows it/u, settingsOf([usdc], "test", "PEAR")]
      ] as const) {
        const [mistake = "", ...more] = yield* mistakesOf(settings)
        assert.match(mistake, expected)
        assert.isEmpty(more)
      }
      // the coin and the token of a network that is real are others than those of a test
      const real = yield* mistakesOf(settingsOf([usdc], "main"))
      assert.lengthOf(real, 2)
      for (const one of real)
        assert.match(one, /of the environment main in the configuration, and test in the database/u)
      assert.deepStrictEqual(yield* all, before)
    })
  )

  test(
    "are joined by new ones, and take a contract in either case",
    Effect.gen(function* () {
      yield* bindNetworks(settingsOf([]))
      yield* bindNetworks(settingsOf([usdc]))
      yield* bindNetworks(settingsOf([{ ...usdc, contract: `0x${"AB".repeat(20)}` }]))
      const { all } = yield* KnownCurrencies
      const token = (yield* all).find(({ code }) => code === "USDC_ORCHARD")
      assert.deepStrictEqual(token, {
        code: "USDC_ORCHARD",
        network: "orchard",
        contract,
        decimals: 6,
        environment: "SANDBOX"
      })
    })
  )

  test(
    "are watched as long as the database knows their network, unless an operator leaves it out by name",
    Effect.gen(function* () {
      const node = "http://127.0.0.1:9"
      yield* bindNetworks(presets({ ETHEREUM_RPC_URL: node, BSC_RPC_URL: node }))
      assert.deepStrictEqual(yield* mistakesOf(presets({ BSC_RPC_URL: node })), [
        "ethereum has no node, and the database knows it: set the URL of its node, or leave it out with NETWORKS_OFF=ethereum"
      ])
      yield* bindNetworks(presets({ BSC_RPC_URL: node, NETWORKS_OFF: "ethereum" }))
    })
  )

  test(
    "that were bound otherwise at the very moment of a start stop it",
    Effect.gen(function* () {
      const { all, bind, inBooks } = yield* KnownCurrencies
      const other = { code: "PLUM", network: "orchard", contract: null, decimals: 8, environment: "SANDBOX" } as const
      const late = KnownCurrencies.of({
        all,
        inBooks,
        bind: (given, at) => Effect.andThen(bind([other], at), bind(given, at))
      })
      const mistakes = yield* Effect.provideService(mistakesOf(settingsOf([usdc])), KnownCurrencies, late)
      assert.match(mistakes.join("\n"), /PLUM is of 18 decimals in the configuration, and of 8 in the database/u)
      // the start that was refused leaves nothing behind: the configuration that was right may have another token of that name
      assert.deepStrictEqual(yield* all, [other])
      assert.isEmpty(yield* (yield* KnownNetworks).all)
    })
  )

  test(
    "are compared by code with the books where the database knows none yet: a first start that lacks one is refused",
    Effect.gen(function* () {
      const { all, bind } = yield* KnownCurrencies
      const older = KnownCurrencies.of({ all, bind, inBooks: Effect.succeed(["EUR", "USDC_ORCHARD"]) })
      assert.deepStrictEqual(yield* Effect.provideService(mistakesOf(settingsOf([])), KnownCurrencies, older), [
        "NETWORKS: USDC_ORCHARD is missing, and the books have amounts of it: put it back"
      ])
      assert.isEmpty(yield* all)
      yield* Effect.provideService(bindNetworks(settingsOf([usdc])), KnownCurrencies, older)
      assert.include(
        (yield* all).map(({ code }) => code),
        "USDC_ORCHARD"
      )
    })
  )

  test(
    "are other ones under a code that the database knows on a network that is missing",
    Effect.gen(function* () {
      const { bind } = yield* KnownCurrencies
      yield* bind(
        [{ code: "USDC_ORCHARD", network: "grove", contract, decimals: 6, environment: "SANDBOX" }],
        Date.UTC(2026, 0)
      )
      assert.match(
        (yield* mistakesOf(settingsOf([usdc]))).join(),
        /USDC_ORCHARD is the token 0x(?:ab){20} of orchard in the configuration, and the token 0x(?:ab){20} of grove in/u
      )
    })
  )

  test(
    "are what the books are checked by: without a network of theirs, a check would take honest rows for tampered ones",
    Effect.gen(function* () {
      yield* bindNetworks(settingsOf([usdc]))
      const refused = ({ currencies }: ReturnType<typeof settingsOf>) =>
        Effect.map(Effect.flip(checkCurrencies(currencies)), (error) => ("mistakes" in error ? error.mistakes : []))
      assert.deepStrictEqual(yield* refused(presets({})), ["NETWORKS: orchard is missing, and the database knows it"])
      const [missing = "", ...more] = yield* refused(settingsOf([]))
      assert.match(missing, /NETWORKS: USDC_ORCHARD is missing, and the database knows it/u)
      assert.isEmpty(more)
      assert.match((yield* refused(settingsOf([{ ...usdc, decimals: 18 }]))).join(), /of 18 decimals in the/u)
      yield* checkCurrencies(settingsOf([usdc]).currencies)
      // whether it is real goes into no rule, and networks of the contract need no node for it
      yield* checkCurrencies(settingsOf([usdc], "main").currencies)
    })
  )

  test(
    "are compared with the books before a check where the database knows none yet",
    Effect.gen(function* () {
      const { all, bind } = yield* KnownCurrencies
      const older = KnownCurrencies.of({ all, bind, inBooks: Effect.succeed(["EUR", "USDC_ORCHARD"]) })
      const check = (settings: ReturnType<typeof settingsOf>) =>
        Effect.provideService(checkCurrencies(settings.currencies), KnownCurrencies, older)
      assert.match(
        String(yield* Effect.flip(check(settingsOf([])))),
        /NETWORKS: USDC_ORCHARD is missing, and the books/u
      )
      yield* check(settingsOf([usdc]))
    })
  )
})
