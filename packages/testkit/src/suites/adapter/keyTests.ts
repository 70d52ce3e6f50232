import type { NetworkTraits } from "@bursar/core/money/Network"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { SuiteIt } from "../harness.ts"
import { AdapterWorld } from "./AdapterWorld.ts"

/** So many that others get a turn in between. */
const derivedCount = 40

/** How addresses follow from keys. */
export const keyTests = (it: SuiteIt<AdapterWorld>, timeoutMs: number, { issues }: NetworkTraits): void => {
  it.effect(
    "derives the same address for an index, alone and among others, and no two alike",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        const { derive } = adapter.keys
        const all = yield* derive(account.key, 0, derivedCount)
        assert.lengthOf(all, derivedCount)
        assert.strictEqual(new Set(all.map(({ address }) => address)).size, derivedCount)
        assert.deepStrictEqual(yield* derive(account.key, 5, 3), all.slice(5, 8))
        assert.deepStrictEqual(yield* derive(account.key, derivedCount - 1, 1), all.slice(-1))
        assert.deepStrictEqual(yield* derive(account.key, 7, 0), [])
      }),
    timeoutMs
  )

  it.effect(
    "derives the addresses of the keys that other software derives",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        const { addressesOf, derive } = adapter.keys
        for (const [index, { address }] of (yield* derive(account.key, 0, 3)).entries()) {
          assert.include(addressesOf(account.publicKeyAt(index)), adapter.accountOf?.(address) ?? address)
        }
      }),
    timeoutMs
  )

  it.effect(
    "names a key the same, by itself, by its addresses and by what is derived from its account",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        const { addressesOf, derive, keysOf, keysOfPublicKey } = adapter.keys
        for (const [index, { address, keys }] of (yield* derive(account.key, 0, 3)).entries()) {
          const publicKey = account.publicKeyAt(index)
          const names = keysOfPublicKey(publicKey)
          assert.isNotEmpty(names)
          assert.includeMembers([...names], [...keys])
          assert.includeMembers([...keys], [...keysOf(address)])
          for (const own of addressesOf(publicKey)) {
            assert.strictEqual(Result.getOrThrow(adapter.parseAddress(own)), own)
            assert.isNotEmpty(keysOf(own))
            assert.includeMembers([...names], [...keysOf(own)])
          }
        }
      }),
    timeoutMs
  )

  it.effect(
    "names an account, by the one key of its parts or else by a name that no key of it has",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        const { accountKeyName, derive, keysOfPublicKey } = adapter.keys
        const name = accountKeyName(account.key)
        assert.isNotEmpty(name)
        for (const [index, { keys }] of (yield* derive(account.key, 0, 3)).entries()) {
          if (issues === "muxed") assert.deepStrictEqual(keys, [name])
          else assert.notInclude([...keys, ...keysOfPublicKey(account.publicKeyAt(index))], name)
        }
      }),
    timeoutMs
  )

  it.effect(
    "gives two keys no name in common",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        if (issues === "muxed") return
        const { keysOfPublicKey } = adapter.keys
        const names = [0, 1, 2].flatMap((index) => keysOfPublicKey(account.publicKeyAt(index)))
        assert.strictEqual(new Set(names).size, names.length)
      }),
    timeoutMs
  )

  it.effect(
    "takes the extended public key of an account where there is such a thing, and refuses what is none",
    () =>
      Effect.gen(function* () {
        const { account, adapter, notAccounts } = yield* AdapterWorld
        const { derive, parse } = adapter.keys
        const refused = issues === "muxed" ? [account.key, ...notAccounts] : notAccounts
        for (const text of ["", "xpub", ...refused]) {
          const parsed = parse(text)
          if (Result.isSuccess(parsed)) return assert.fail(`${text} was taken for the key of an account`)
          assert.include(["xpub_invalid", "xpub_not_depth_3"], parsed.failure.code)
          assert.isNotEmpty(parsed.failure.message)
        }
        if (issues === "muxed") return
        const { canonical } = Result.getOrThrow(parse(account.key))
        assert.strictEqual(Result.getOrThrow(parse(canonical)).canonical, canonical)
        assert.deepStrictEqual(yield* derive(canonical, 0, 2), yield* derive(account.key, 0, 2))
      }),
    timeoutMs
  )

  it.effect(
    "takes a signature for its own address and text alone, and junk for nothing",
    () =>
      Effect.gen(function* () {
        const { account, adapter, signed } = yield* AdapterWorld
        const { derive, verifyMessage } = adapter.keys
        const { address, message, signature } = signed
        const [other] = yield* derive(account.key, 11, 1)
        assert.isTrue(yield* verifyMessage(address, message, signature))
        assert.isFalse(yield* verifyMessage(address, `${message} `, signature))
        assert.isFalse(yield* verifyMessage(other?.address ?? "", message, signature))
        for (const junk of ["", "0x", "junk", signature.slice(0, -4), signature + signature, message]) {
          assert.isFalse(yield* verifyMessage(address, message, junk), junk)
        }
      }),
    timeoutMs
  )
}
