import { type ChainName, KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const chain = (id: string): ChainName => ({ family: "evm", id })

const rowOf = (name: string) =>
  Effect.gen(function* () {
    const { all } = yield* KnownNetworks
    return (yield* all).find((one) => one.name === name)
  })

/** Settings of the suite of KnownNetworks. */
export interface KnownNetworksSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<KnownNetworks>
}

/** The tests of the suite. */
export const knownNetworksTests = (it: SuiteIt<KnownNetworks>, options: KnownNetworksSuiteOptions): void => {
  it.effect(
    "remembers a name from when it was first noted, and binds it to its chain once a node has confirmed it",
    () =>
      Effect.gen(function* () {
        const { all, bind, note } = yield* KnownNetworks
        yield* note([], past)
        yield* note(["orchard", "grove"], past)
        yield* note(["orchard"], past + 5)
        const noted = { name: "orchard", chain: null, firstSeen: past }
        assert.deepStrictEqual(yield* rowOf("orchard"), noted)
        assert.isUndefined(yield* bind("orchard", chain("77007"), past + 7))
        const bound = { ...noted, chain: chain("77007") }
        assert.deepStrictEqual(yield* rowOf("orchard"), bound)
        assert.isUndefined(yield* bind("orchard", chain("77007"), past + 9))
        yield* note(["orchard"], past + 11)
        assert.deepStrictEqual(yield* rowOf("orchard"), bound)
        const names = (yield* all).map((one) => one.name)
        assert.deepStrictEqual(names, names.toSorted())
        assert.includeMembers(names, ["grove", "orchard"])
      })
  )

  it.effect("binds a name that nobody has noted", () =>
    Effect.gen(function* () {
      const { bind } = yield* KnownNetworks
      assert.isUndefined(yield* bind("meadow", chain("1"), past))
      assert.deepStrictEqual(yield* rowOf("meadow"), { name: "meadow", chain: chain("1"), firstSeen: past })
    })
  )

  it.effect("lets no name go to another chain, and gives no chain a second name", () =>
    Effect.gen(function* () {
      const { bind } = yield* KnownNetworks
      assert.isUndefined(yield* bind("forest", chain("2"), past))
      assert.deepStrictEqual(yield* bind("forest", chain("3"), past), { _tag: "OtherChain", chain: chain("2") })
      assert.deepStrictEqual(yield* bind("wood", chain("2"), past), { _tag: "OtherName", name: "forest" })
      // the chains of another family are others, whatever their ids
      const elsewhere = { family: "toy", id: "2" }
      assert.isUndefined(yield* bind("wood", elsewhere, past))
      assert.deepStrictEqual((yield* rowOf("forest"))?.chain, chain("2"))
      assert.deepStrictEqual((yield* rowOf("wood"))?.chain, elsewhere)
    })
  )

  it.effect("of many that bind one name, or one chain, at once from two processes one alone has it", () =>
    Effect.gen(function* () {
      const { all, ...first } = yield* KnownNetworks
      const second = yield* secondOf(KnownNetworks, options.second)
      const bind = (n: number, ...which: readonly [name: string, chain: ChainName]) =>
        (n % 2 === 0 ? first : second).bind(...which, past)
      const many = Array.from({ length: 8 }, (_, n) => n)
      const byName = yield* Effect.forEach(many, (n) => bind(n, "heath", chain(`4${n}`)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        byName.filter((one) => one === undefined),
        1
      )
      const byChain = yield* Effect.forEach(many, (n) => bind(n, `moor-${n}`, chain("5")), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        byChain.filter((one) => one === undefined),
        1
      )
      const bound = (yield* all).filter((one) => one.chain?.id === "5")
      assert.lengthOf(bound, 1)
      for (const one of byChain)
        if (one !== undefined) assert.deepStrictEqual(one, { _tag: "OtherName", name: bound[0]?.name ?? "" })
    })
  )
}

/** What every KnownNetworks must do: a name is bound to one chain for good, and a chain has one name. */
export const knownNetworksSuite = <E>(
  name: string,
  layer: Layer.Layer<KnownNetworks, E>,
  options: KnownNetworksSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: KnownNetworks`, (it) =>
    knownNetworksTests(it, options)
  )
}
