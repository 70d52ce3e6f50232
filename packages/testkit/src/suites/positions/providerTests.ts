import type { Environment } from "@bursar/core/base/Environment"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { Operation } from "@bursar/core/operation/Operation"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { adjust } from "../../fixtures/commands.ts"
import { bareOperation } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { type PositionsIt, take, write } from "./world.ts"

const since = past + 10_000

const ask = (account: "custodian" | "bank", environment: Environment, provider: string) =>
  Effect.flatMap(Positions, (positions) => positions.provider({ account, environment, provider, since }))

/** The books of an account at a provider, the orders that are with it, and lines that could explain a difference. */
export const providerTests = (it: PositionsIt, timeoutMs: number): void => {
  it.effect(
    "sums up what the tenants of one environment have at a provider",
    () =>
      Effect.gen(function* () {
        const [live, sandbox] = [yield* newTenant(), yield* newTenant({ kind: "SANDBOX" })]
        const { submit } = yield* Writer
        const units = (environment: Environment, account: "custodian" | "bank") =>
          Effect.map(
            ask(account, environment, "anybody"),
            ({ balances }) =>
              balances.find((one) => one.account === account && one.currency === "USDC_BASE")?.units ?? 0n
          )
        const before = [yield* units("LIVE", "custodian"), yield* units("SANDBOX", "custodian")]
        yield* submit(live.id, adjust(100n, "USDC_BASE"))
        yield* take(live.id, "custodian", 130n, "USDC_BASE")
        yield* submit(sandbox.id, adjust(9n, "USDC_BASE"))
        const bank = yield* units("SANDBOX", "bank")
        yield* submit(sandbox.id, adjust(5n, "USDC_BASE", { against: "bank" }))
        const after = [yield* units("LIVE", "custodian"), yield* units("SANDBOX", "custodian")]
        assert.deepStrictEqual(
          after.map((one, index) => one - (before[index] ?? 0n)),
          [-30n, 9n]
        )
        assert.strictEqual((yield* units("SANDBOX", "bank")) - bank, 5n)
      }),
    timeoutMs
  )

  it.effect(
    "names the orders that are with a provider or ended lately",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const provider = `p-${crypto.randomUUID()}`
        const ended = (at: number, more: Partial<Operation> = {}): Partial<Operation> => ({
          kind: "WITHDRAWAL",
          status: "SETTLED",
          settledAt: at,
          ...more
        })
        const written = yield* write(id, (view) =>
          [
            { kind: "WITHDRAWAL", status: "ACCEPTED" } as const,
            { kind: "SWAP", status: "PROCESSING" } as const,
            { kind: "SWAP", status: "PROCESSING", unresolved: true } as const,
            ended(since),
            ended(since + 1, { status: "FAILED" }),
            ended(since - 1),
            ended(since, { provider: "another" }),
            { kind: "OFF_RAMP", status: "PROCESSING" } as const,
            ended(since, { kind: "ON_RAMP", status: "RETURNED" })
          ].map((more) => putRecord(Operation, bareOperation(view, { provider, ...more })))
        )
        const operations = written.map(({ record }) => record)
        const custodian = yield* ask("custodian", "LIVE", provider)
        assert.sameDeepMembers([...custodian.operations], operations.slice(0, 5))
        const bank = yield* ask("bank", "LIVE", provider)
        assert.sameDeepMembers([...bank.operations], operations.slice(7))
        assert.deepStrictEqual((yield* ask("bank", "LIVE", `no-${provider}`)).operations, [])
      }),
    timeoutMs
  )

  it.effect(
    "finds lines of an amount at a place, the nearest in time first",
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        const account = `chain:net-${crypto.randomUUID().slice(0, 8)}:payouts` as const
        const against = { against: account } as const
        // the clock of a tenant's books never goes back
        const base = (yield* Clock.currentTimeMillis) + 60_000
        const post = (tenant: typeof one, at: number, ...given: Parameters<typeof adjust>) =>
          Effect.asVoid(commitAt(tenant.id, base + at, adjust(...given)))
        yield* post(one, 1_000, 40n, "ETH", against)
        yield* post(other, 2_000, 40n, "ETH", against)
        yield* post(one, 3_000, -40n, "ETH", against)
        yield* post(one, 3_001, 41n, "ETH", against)
        yield* post(one, 3_002, 40n, "USDC_ETH", against)
        yield* post(one, 3_003, 40n, "ETH")
        const { lines } = yield* Positions
        const find = (around: number, limit: number) =>
          Effect.map(lines({ account, currency: "ETH", units: 40n, around: base + around, limit }), (found) =>
            found.map(({ at, tenantId, what }) => [at - base, tenantId, what])
          )
        const [first, second, third] = [
          [1_000, one.id, "adjustment"],
          [2_000, other.id, "adjustment"],
          [3_000, one.id, "adjustment"]
        ]
        assert.deepStrictEqual(yield* find(9_000, 10), [third, second, first])
        assert.deepStrictEqual(yield* find(1_600, 10), [second, first, third])
        assert.deepStrictEqual(yield* find(1_600, 2), [second, first])
        assert.deepStrictEqual(yield* lines({ account, currency: "ETH", units: 7n, around: 0, limit: 10 }), [])
      }),
    timeoutMs
  )

  it.effect(
    "finds lines of an amount behind many of other amounts, and stops at none that is farther",
    () =>
      Effect.gen(function* () {
        const [busy, quiet] = [yield* newTenant(), yield* newTenant()]
        const account = `chain:net-${crypto.randomUUID().slice(0, 8)}:payouts` as const
        const base = (yield* Clock.currentTimeMillis) + 60_000
        const post = (tenant: typeof busy, at: number, units: bigint) =>
          Effect.asVoid(commitAt(tenant.id, base + at, adjust(units, "ETH", { against: account })))
        const sought = new Set([0, 7, 8])
        for (let at = 0; at < 12; at++) yield* post(busy, at * 1_000, sought.has(at) ? 40n : 100n + BigInt(at))
        yield* post(quiet, 3_000, 40n)
        const { lines } = yield* Positions
        const find = (around: number, limit: number) =>
          Effect.map(lines({ account, currency: "ETH", units: 40n, around: base + around, limit }), (found) =>
            found.map(({ at }) => at - base)
          )
        assert.deepStrictEqual(yield* find(20_000, 9), [8_000, 7_000, 3_000, 0])
        assert.deepStrictEqual(yield* find(20_000, 2), [8_000, 7_000])
        assert.deepStrictEqual(yield* find(-1_000, 1), [0])
        assert.deepStrictEqual(yield* find(2_900, 2), [3_000, 0])
        assert.deepStrictEqual(yield* find(7_400, 3), [7_000, 8_000, 3_000])
      }),
    timeoutMs
  )
}
