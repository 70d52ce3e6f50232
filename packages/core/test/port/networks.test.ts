import { bindingConflict, type KnownNetwork } from "@bursar/core/port/KnownNetworks"
import { deriveInTurns } from "@bursar/core/port/NetworkAdapter"
import { adapterOf, keyNamesOf, makeNetworks, parseAddress } from "@bursar/core/port/Networks"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"

const base = makeFakeNetwork("base", {
  parseAddress: (text) => (text.startsWith("0x") ? Result.succeed(text.toLowerCase()) : Result.fail("no address")),
  keys: { keysOfPublicKey: (key) => [`base ${key.join()}`, "shared"] }
})

const stellar = makeFakeNetwork("stellar")

describe("the networks of a service", () => {
  const networks = makeNetworks([base, stellar])

  it("are found by their names, each by one adapter", () => {
    assert.deepStrictEqual(networks.enabled, ["base", "stellar"])
    assert.strictEqual(networks.get("stellar"), stellar)
    assert.isUndefined(networks.get("tron"))
    assert.strictEqual(adapterOf(networks, "base"), base)
    assert.throws(() => adapterOf(networks, "tron"), /tron is off/u)
    assert.throws(() => makeNetworks([base, stellar, makeFakeNetwork("base")]), /two adapters/u)
  })

  it("read addresses while they are on", () => {
    const read = (network: "base" | "tron", text: string) =>
      Result.getOrUndefined(parseAddress(networks, network, text))
    assert.strictEqual(read("base", "0xAB"), "0xab")
    assert.isUndefined(read("base", "junk"))
    assert.isUndefined(read("tron", "0xAB"))
  })

  it("name a public key in the forms of all networks of its curve, also of those that are off", () => {
    const form = (curve: "ed25519" | "secp256k1", name: string) => ({ curve, keysOfPublicKey: () => [name, "shared"] })
    const some = makeNetworks([base], [form("secp256k1", "tron"), form("ed25519", "stellar")])
    assert.deepStrictEqual(keyNamesOf(some, "base", Uint8Array.of(1, 2)), ["base 1,2", "shared", "tron"])
    assert.throws(() => keyNamesOf(some, "tron", Uint8Array.of(1)), /tron is off/u)
  })
})

describe("a name of a network", () => {
  const chain = (id: string, family: "evm" | "stellar" = "evm") => ({ family, id })
  const known = (name: "base" | "polygon", of: KnownNetwork["chain"]): KnownNetwork => ({
    ...{ name, chain: of, firstSeen: 0 }
  })

  it("stands for one chain, which has no other name", () => {
    const [base8453, polygon137] = [known("base", chain("8453")), known("polygon", chain("137"))]
    assert.isUndefined(bindingConflict([], "base", chain("8453")))
    assert.isUndefined(bindingConflict([polygon137, base8453], "base", chain("8453")))
    for (const other of [chain("1"), chain("8453", "stellar")])
      assert.deepStrictEqual(bindingConflict([base8453], "base", other), { _tag: "OtherChain", chain: chain("8453") })
    assert.deepStrictEqual(bindingConflict([polygon137], "base", chain("137")), { _tag: "OtherName", name: "polygon" })
    assert.isUndefined(bindingConflict([polygon137], "base", chain("137", "stellar")))
    assert.deepStrictEqual(
      bindingConflict([polygon137, base8453], "base", chain("137")),
      { _tag: "OtherChain", chain: chain("8453") },
      "what it stands for is said first"
    )
  })

  it("is free while no node has confirmed its chain", () => {
    assert.isUndefined(bindingConflict([known("base", null)], "base", chain("8453")))
    assert.isUndefined(bindingConflict([known("polygon", null)], "base", chain("8453")))
  })
})

describe("addresses that are derived", () => {
  it.effect("are those of every index, in order, and others run in between", () =>
    Effect.gen(function* () {
      const made: Array<number> = []
      const derived = deriveInTurns((index) => ({ address: `${made.push(index) - 1}/${index}`, keys: [] }), 7, 40)
      let seen = 0
      const look = Effect.sync(() => (seen = made.length))
      const [addresses] = yield* Effect.all([derived, look], { concurrency: 2 })
      assert.deepStrictEqual(
        addresses.map(({ address }) => address),
        Array.from({ length: 40 }, (_, at) => `${at}/${at + 7}`)
      )
      assert.strictEqual(seen, 16, "some at a time")
      assert.isEmpty(yield* deriveInTurns(() => assert.fail("there is none"), 0, 0))
    })
  )
})
