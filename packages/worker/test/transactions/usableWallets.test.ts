import { Grants } from "@bursar/core/grant/Grants"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { emptyState } from "@bursar/memory"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drawnWallet, usableWallets } from "../../src/transactions/usableWallets.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { chainsOf } from "../grantChains.ts"
import { payer, processOver, submit } from "./world.ts"

const network = "ethereum"

const two = Effect.fnUntraced(function* () {
  const { id, wallet: first } = yield* payer(network, fakeNetwork({ network }))
  const address = "0x00000000000000000000000000000000000000B0"
  const more = { another: true, seedId: seedOf(first), index: 1, ...keyed(address) }
  const second = yield* submit(id, addWallet({ network, role: "PAYOUT", ...more }, presetNetworks))
  return { id, first, second }
})

describe("the wallets that are paid from, of several", () => {
  it.effect("are those that are granted, as the signer signs for no other; where none is, the first says why", () =>
    Effect.gen(function* () {
      const { first, id, second } = yield* two()
      const { grant, grants } = yield* chainsOf(id)
      const usable = Effect.map(usableWallets(id, [second, first]), (all) => all.map(({ address }) => address)).pipe(
        Effect.provideService(Grants, grants)
      )
      const say = (address: string, state: "ACTIVE" | "REVOKED") =>
        grant("payout_wallet", { network, role: "PAYOUT", address, state })
      assert.deepStrictEqual(yield* usable, [first.address])
      yield* say(second.address, "ACTIVE")
      assert.deepStrictEqual(yield* usable, [second.address])
      yield* say(first.address, "ACTIVE")
      assert.deepStrictEqual(yield* usable, [first.address, second.address])
      yield* say(first.address, "REVOKED")
      assert.deepStrictEqual(yield* usable, [second.address], "a wallet that is given up is paid from no more")
    }).pipe(Effect.provide(processOver(emptyState(), fakeNetwork({ network }))))
  )

  it.effect("are all where rows decide, and each gets its share of the sweeps", () =>
    Effect.gen(function* () {
      const { first, id, second } = yield* two()
      assert.deepStrictEqual(yield* usableWallets(id, [second, first]), [first, second])
      const drawn = yield* Effect.forEach(Array.from({ length: 64 }), () => drawnWallet(id, [first, second]))
      assert.sameMembers([...new Set(drawn.map((one) => one?.address))], [first.address, second.address])
      assert.strictEqual(yield* drawnWallet(id, [first]), first)
      assert.isUndefined(yield* drawnWallet(id, []))
    }).pipe(Effect.provide(processOver(emptyState(), fakeNetwork({ network }))))
  )
})
