import type { NetworkTraits } from "@bursar/core/money/Network"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { AdapterWorld } from "./AdapterWorld.ts"

const publicKeyBytes = { secp256k1: 33, ed25519: 32 } as const

/** The traits of a network agree with what its adapter does. */
export const traitTests = (it: SuiteIt<AdapterWorld>, timeoutMs: number, traits: NetworkTraits): void => {
  it.effect(
    "has the traits of its network, and all its parts name it",
    () =>
      Effect.gen(function* () {
        const { adapter } = yield* AdapterWorld
        assert.deepStrictEqual(adapter.traits, traits)
        for (const { network } of [adapter.reader, adapter.sender, adapter.codec]) {
          assert.strictEqual(network, traits.name)
        }
      }),
    timeoutMs
  )

  it.effect(
    "has keys of the curve of its traits, and paths that part the wallets from the addresses that are issued",
    () =>
      Effect.gen(function* () {
        const { account } = yield* AdapterWorld
        const { keyPaths } = traits
        assert.lengthOf(account.publicKeyAt(0), publicKeyBytes[keyPaths.curve])
        const paths = [keyPaths.account, `${keyPaths.account}/0/0`, ...[0, 1, 2].map(keyPaths.wallet)]
        assert.strictEqual(new Set(paths).size, paths.length)
        for (const path of paths) assert.match(path, /^m(?:\/\d+'?)+$/u)
      }),
    timeoutMs
  )

  it.effect(
    "issues keys or parts of an account, as its traits say",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        for (const { address } of yield* adapter.keys.derive(account.key, 0, 3)) {
          const owner = adapter.accountOf?.(address)
          if (traits.issues === "muxed") assert.strictEqual(owner, account.key)
          else assert.isUndefined(owner)
        }
      }),
    timeoutMs
  )

  it.effect(
    "offers what its model of accounts needs, and has limits that are amounts",
    () =>
      Effect.gen(function* () {
        const { sender } = (yield* AdapterWorld).adapter
        assert.strictEqual(sender.planner.provisioner !== undefined, traits.provisioned)
        assert.isAtLeast(sender.paymentsMax, 1)
        assert.isAbove(sender.validityMs, 0)
        assert.isAbove(sender.rebroadcastAfterMs, 0)
        if (traits.accountModel === "expiry") assert.isNull(sender.replaceAfterMs)
        assert.isAtLeast(traits.underWayMax, 1)
        const { feeMax, sweepKeeps, topUpMax } = traits.limits
        assert.isTrue(feeMax > 0n && sweepKeeps >= 0n && topUpMax >= 0n)
        assert.isTrue(Number.isSafeInteger(traits.nativeAsset.decimals) && traits.nativeAsset.decimals >= 0)
      }),
    timeoutMs
  )
}
