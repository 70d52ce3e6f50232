import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import type { Environment } from "@bursar/core/base/Environment"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { inEnvironments } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Queries } from "@bursar/core/store/Queries"
import * as Memory from "@bursar/memory"
import { addressItem, incomingTransferAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { commitAt, newTenant, past, rewriteKind } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

/** A service with test networks and main networks: ethereum is live, and base is not. */
const mixed = makeCurrencyTable(
  defaultCurrencies.all,
  inEnvironments(presetNetworks, new Map<string, Environment>([["base", "SANDBOX"]]))
)

const block = { number: 7, hash: "0xblock", time: past }

/** A tenant of a kind with an address that is watched on a network, and what arrives there. */
const receiving = Effect.fnUntraced(function* (kind: Environment, network: "base" | "ethereum") {
  const { id } = yield* newTenant({ kind, createdAt: past })
  yield* commitAt(id, past, registerAddresses([addressItem(newEvmAddress(), { network })]))
  const queries = yield* Queries
  const [address] = yield* queries.addresses(id, { includeRetired: false, limit: 1 })
  if (address === undefined) return yield* Effect.die(new Error("no address"))
  const arrive = Effect.fnUntraced(function* (on: "base" | "ethereum" = network) {
    const currency = on === "base" ? "ETH_BASE" : "ETH"
    const transfer = incomingTransferAt(address, 5n, { block, network: on, currency })
    const command = { network: on, requiredConfirmations: 1, incomingTransfers: [transfer] }
    const [deposits] = yield* commitAt(id, past + 1, recordIncomingTransfers(command, mixed))
    return deposits as ReadonlyArray<Deposit> // the reply of recordIncomingTransfers
  })
  const confirm = (deposit: Deposit) =>
    commitAt(
      id,
      past + 2,
      confirmDeposits([{ deposit, blockHash: block.hash, confirmations: 9 }], mixed, nothingUndecided)
    )
  return { id, arrive, confirm, float: queries.float(id) }
})

layer(Memory.layer, { excludeTestServices: true })("coins of another environment", (it) => {
  for (const [kind, own, foreign] of [
    ["SANDBOX", "base", "ethereum"],
    ["LIVE", "ethereum", "base"]
  ] as const) {
    it.effect(`do not arrive for a ${kind} tenant, on an address of its own there or on a sibling of one`, () =>
      Effect.gen(function* () {
        const there = yield* receiving(kind, foreign)
        assert.deepStrictEqual(yield* there.arrive(), [])
        const here = yield* receiving(kind, own)
        assert.deepStrictEqual(yield* here.arrive(foreign), [])
        const [deposit] = yield* here.arrive()
        assert.strictEqual(deposit?.status, "DETECTED")
      })
    )

    it.effect(`are not credited to a ${kind} tenant whose kind was another one when they arrived`, () =>
      Effect.gen(function* () {
        const { arrive, confirm, float, id } = yield* receiving(kind, own)
        const [deposit] = yield* arrive()
        if (deposit === undefined) return assert.fail("nothing arrived")
        yield* commitAt(id, past + 1, rewriteKind(kind === "LIVE" ? "SANDBOX" : "LIVE"))
        yield* confirm(deposit)
        assert.deepStrictEqual(yield* float, [])
      })
    )
  }

  it.effect("are on no sibling network", () =>
    Effect.sync(() => {
      assert.deepStrictEqual(presetNetworks.siblings("ethereum").toSorted(), ["base", "bsc", "ethereum"])
      assert.deepStrictEqual(mixed.networks.siblings("ethereum").toSorted(), ["bsc", "ethereum"])
      assert.deepStrictEqual(mixed.networks.siblings("base"), ["base"])
    })
  )
})
