import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { WatchState } from "@bursar/core/store/WatchState"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import type { WatchStateIt } from "./ports.ts"

/** What watchers have to know of wallets. */
export const walletTests = (it: WatchStateIt, timeoutMs: number): void => {
  it.effect(
    "a wallet owns its address on its network and on its siblings, and says that it is one",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const state = yield* WatchState
        const address = newTxHash()
        const addressId = crypto.randomUUID()
        yield* (yield* Writer).submit(
          tenantId,
          writing(() => [{ _tag: "AddressClaimed", network: "ethereum", address, addressId, wallet: true } as const])
        )
        const expected = { tenantId, addressId, network: "ethereum", address, wallet: true } as const
        assert.deepStrictEqual(yield* state.owners(presetNetworks.siblings("ethereum"), [address]), [expected])
        assert.deepStrictEqual(yield* state.owners(presetNetworks.siblings("base"), [address]), [expected])
        assert.deepStrictEqual(yield* state.owners(presetNetworks.siblings("tron"), [address]), [])
      }),
    timeoutMs
  )

  it.effect(
    "arrivals at wallets are found by their heights and statuses, and by their transactions",
    () =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const state = yield* WatchState
        // heights that no other test uses
        const base = 5_000_000_000 + crypto.getRandomValues(new Uint32Array(1)).reduce((sum, one) => sum + one, 0)
        const arrivals = (["DETECTED", "CONFIRMED", "REORGED", "DETECTED"] as const).map(
          (status, at): WalletTransfer => ({
            network: "stellar",
            txHash: newTxHash(),
            transferIndex: at,
            tenantId,
            walletId: crypto.randomUUID(),
            place: "WALLET",
            address: "a",
            paidTo: "a",
            memo: null,
            currency: "XLM",
            units: 1n,
            fromAddress: null,
            block: { number: base + at, hash: "h", time: past },
            status,
            bookedBy: null,
            ownUnits: 0n,
            detectedAt: past
          })
        )
        yield* (yield* Writer).submit(
          tenantId,
          writing(() => arrivals.map((arrival) => putRecord(WalletTransfer, arrival)))
        )
        const [first, second, , last] = arrivals
        const upTo = yield* state.walletTransfersUpTo("stellar", base, 10_000)
        assert.deepStrictEqual(
          upTo.filter((one) => one.tenantId === tenantId),
          [first]
        )
        const above = yield* state.walletTransfersAbove("stellar", base - 1)
        assert.deepStrictEqual(
          above.filter((one) => one.tenantId === tenantId),
          [first, second, last]
        )
        const hashes = arrivals.slice(1).map(({ txHash }) => txHash)
        const among = yield* state.walletTransfersAmong("stellar", [...hashes, newTxHash()])
        assert.sameDeepMembers([...among], arrivals.slice(1))
        assert.deepStrictEqual(yield* state.walletTransfersAmong("bsc", hashes), [])
        assert.deepStrictEqual(yield* state.walletTransfersAmong("stellar", []), [])
      }),
    timeoutMs
  )
}
