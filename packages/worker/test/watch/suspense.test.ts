import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { accountAt, keyed } from "@bursar/testkit/fixtures/deposits"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, ledgerHolds, caughtUp, depositsOf, oneProcess, until, watching } from "./world.ts"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"

const account = "G-account"

/** A stellar whose muxed addresses are written `M<account>|<id>`. */
const stellar = () => {
  const chain = makeFakeChain({ network: "stellar", firstBlockTime: past, reorgDepthMax: 16 })
  return {
    ...chain,
    accountOf: (address: string) => (address.startsWith("M") ? address.slice(1).split("|")[0] : undefined)
  }
}

const part = (n: number): string => `M${account}|${n}`

const issuer = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(account),
    from: 0,
    addresses: [keyed(part(0)), keyed(part(1))]
  }
  const command = issueAddresses({ network: "stellar", reference: "r", count: 2, prederived }, presetNetworks)
  const { addresses } = yield* (yield* Writer).submit(id, command)
  return { id, addresses }
})

const suspense = (id: TenantId) =>
  Effect.flatMap(Queries, (queries) => queries.accountLines(id, { account: "suspense", currency: "XLM", limit: 10 }))

describe("what comes to an account that addresses are parts of", () => {
  it.effect(
    "rule 20: is booked in suspense where it names nobody, with what the sender wrote, and is never dropped",
    () =>
      Effect.gen(function* () {
        yield* begin
        const chain = stellar()
        const { id } = yield* issuer
        yield* Effect.forkScoped(watching(chain))
        yield* caughtUp(chain)
        chain.mine([transferTo(account, 7n, { memo: { type: "text", value: "invoice 7" } }), transferTo(part(99), 11n)])
        chain.mineMany(3)
        yield* until(
          "both stand in suspense",
          Effect.map(suspense(id), (lines) => lines.length === 2)
        )
        const lines = yield* suspense(id)
        assert.deepStrictEqual(
          lines.map(({ operation }) => operation?.kind),
          ["ADJUSTMENT", "ADJUSTMENT"]
        )
        const told = lines.map(({ leg, operation }) => {
          const { memo, paid_to } = (operation?.details.wallet_arrival ?? {}) as Record<string, unknown> // as it is booked
          return { units: leg.units, memo, paid_to }
        })
        assert.deepStrictEqual(
          told.toSorted((one, other) => Number(one.units - other.units)),
          [
            { units: 7n, memo: { type: "text", value: "invoice 7" }, paid_to: account },
            { units: 11n, memo: null, paid_to: part(99) }
          ]
        )
        const legs = yield* (yield* Queries).legs(id, lines[0]?.operation?.id ?? "")
        assert.deepStrictEqual(
          legs.map(({ account: name, direction }) => `${direction} ${name}`),
          ["DEBIT chain:stellar:deposits", "CREDIT suspense"]
        )
        assert.deepStrictEqual(yield* depositsOf(id), [])
        // nobody is credited, so nothing of it waits to be swept
        assert.deepStrictEqual(yield* (yield* Queries).records(id, SweepableDeposit), [])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is booked where its memo is what no database can hold, and keeps nobody else waiting", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = stellar()
      const { id } = yield* issuer
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      for (const value of ["\u0000", "half \ud83d"])
        chain.mine([transferTo(account, 1n, { memo: { type: "text", value } })])
      chain.mine([transferTo(part(1), 5n)])
      chain.mineMany(3)
      yield* until(
        "both stand in suspense",
        Effect.map(suspense(id), (lines) => lines.length === 2)
      )
      const memos = (yield* suspense(id)).map(({ operation }) => operation?.details.wallet_arrival?.memo?.value)
      assert.deepStrictEqual(memos.toSorted(), ["half \uFFFD", "\uFFFD"])
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status }) => status),
        ["CONFIRMED"]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is the deposit of the part that it names, and not in suspense beside", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = stellar()
      const { id } = yield* issuer
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(part(1), 5n)])
      chain.mineMany(3)
      yield* until(
        "it is confirmed",
        Effect.map(depositsOf(id), (deposits) => deposits[0]?.status === "CONFIRMED")
      )
      assert.deepStrictEqual(yield* suspense(id), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("stays the deposit that it was when its part is retired, and later payments to it stand in suspense", () =>
    Effect.gen(function* () {
      yield* begin
      const chain = stellar()
      const { addresses, id } = yield* issuer
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      chain.mine([transferTo(part(0), 5n)])
      yield* until(
        "it is detected",
        Effect.map(depositsOf(id), (deposits) => deposits.length === 1)
      )
      yield* (yield* Writer).submit(id, retireAddress(addresses[0]?.id ?? ""))
      chain.mine([transferTo(part(0), 9n)])
      chain.mineMany(3)
      yield* until(
        "the later one stands in suspense",
        Effect.map(suspense(id), (lines) => lines.length === 1)
      )
      assert.strictEqual((yield* suspense(id))[0]?.leg.units, 9n)
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status, units }) => [status, units]),
        [["CONFIRMED", 5n]]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )
})
