import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

/**
 * The accounts of the mnemonic "abandon × 11 about" without a passphrase, with the addresses at 0/0 and 0/1, computed with
 * bip32 5.0.1, bitcoinjs-lib 7, viem 2.57.1 and tronweb 6.5.1.
 */
const vectors: ReadonlyArray<readonly [Network, string, string, string]> = [
  ...(["ethereum", "bsc", "base"] as const).map(
    (network) =>
      [
        network,
        "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
        "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
      ] as const
  ),
  [
    "tron",
    "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",
    "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
    "TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK"
  ],
  [
    "bitcoin",
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V",
    "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
    "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g"
  ]
]

const textsOf = (derived: ReadonlyArray<{ readonly address: string }>) => derived.map(({ address }) => address)

const use = <A, E>(effect: Effect.Effect<A, E, Networks>) =>
  Effect.provide(effect, layerNetworksAlone(idleNodes, defaultCurrencies))

describe("derivations", () => {
  for (const [network, account, first, second] of vectors) {
    it.effect(`of ${network} are those of other wallets, for the account and for the keys below it`, () =>
      use(
        Effect.gen(function* () {
          const { derive, parse } = adapterOf(yield* Networks, network).keys
          const { canonical } = Result.getOrThrow(parse(account))
          assert.deepStrictEqual(textsOf(yield* derive(canonical, 0, 2)), [first, second])
          const many = textsOf(yield* derive(canonical, 1, 40))
          assert.lengthOf(new Set(many), 40)
          assert.strictEqual(many[0], second)
          assert.deepStrictEqual(textsOf(yield* derive(canonical, 40, 1)), many.slice(39))
          assert.deepStrictEqual(yield* derive(canonical, 0, 0), [])
        })
      )
    )
  }

  it.effect("of stellar are muxed accounts of one account, and no extended public key is taken", () =>
    use(
      Effect.gen(function* () {
        const { derive, parse } = adapterOf(yield* Networks, "stellar").keys
        const account = "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"
        const [zero, one] = textsOf(yield* derive(account, 0, 2))
        assert.match(zero ?? "", /^MB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQA/u)
        assert.notStrictEqual(zero, one)
        const refused = parse(account)
        assert.strictEqual(Result.isFailure(refused) ? refused.failure.code : "", "xpub_invalid")
      })
    )
  )
})
