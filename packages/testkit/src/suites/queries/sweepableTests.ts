import { putRecord } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import type { QueriesIt } from "./ports.ts"

/** What waits to be swept from an address. */
export const sweepableTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "the largest of each currency that wait to be swept from an address are found, and no more of them",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const [addressId, elsewhere] = [newIdAt(past), newIdAt(past)]
        const txHash = newTxHash()
        const arrived = (
          transferIndex: number,
          currency: string,
          units: bigint,
          more: Partial<SweepableDeposit> = {}
        ): SweepableDeposit => ({
          network: "base",
          txHash,
          transferIndex,
          depositId: newIdAt(past),
          addressId,
          address: "0xA1",
          currency,
          contract: null,
          units,
          key: { _tag: "Imported" },
          gone: false,
          sweepId: null,
          bookedBy: null,
          unbacked: 0n,
          ...more
        })
        const most = 10n ** 30n
        const all = [
          arrived(0, "ETH_BASE", 9n),
          arrived(1, "ETH_BASE", most),
          arrived(2, "ETH_BASE", 10n),
          arrived(3, "USDC_BASE", 1n),
          arrived(4, "USDC_BASE", 3n),
          arrived(5, "USDC_BASE", 2n),
          arrived(6, "A", 1n),
          arrived(7, "ETH_BASE", most + 1n, { addressId: elsewhere }),
          arrived(8, "ETH_BASE", most + 2n, { gone: true }),
          arrived(9, "ETH_BASE", most + 3n, { sweepId: newIdAt(past) })
        ]
        yield* commitAt(
          tenant.id,
          past,
          writing(() => all.map((one) => putRecord(SweepableDeposit, one)))
        )
        const found = (tenantId: TenantId, address: string, limit: number) =>
          Effect.map(queries.largestSweepables(tenantId, { addressId: address, limit }), (some) =>
            some.toSorted((one, next) => one.transferIndex - next.transferIndex)
          )
        const some = (...indices: ReadonlyArray<number>) => all.filter((_, at) => indices.includes(at))
        assert.deepStrictEqual(yield* found(tenant.id, addressId, 2), some(1, 2, 4, 5, 6))
        assert.deepStrictEqual(yield* found(tenant.id, addressId, 1), some(1, 4, 6))
        assert.deepStrictEqual(yield* found(tenant.id, addressId, 10), some(0, 1, 2, 3, 4, 5, 6))
        assert.deepStrictEqual(yield* found(tenant.id, elsewhere, 10), some(7))
        assert.deepStrictEqual(yield* found(tenant.id, newIdAt(past), 10), [])
        assert.deepStrictEqual(yield* found(other.id, addressId, 10), [])
      }),
    timeoutMs
  )
}
