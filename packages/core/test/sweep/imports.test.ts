import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { importDepositKey } from "@bursar/core/incoming/importDepositKey"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { refuseSpending, spendableOf, spendableReads } from "@bursar/core/operation/spendable"
import { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import type { View } from "@bursar/core/engine/View"
import { putRecord } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { countImports, countSwept } from "@bursar/core/sweep/countImports"
import { loseSweeps } from "@bursar/core/sweep/loseSweeps"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import {
  type SweepableDeposit,
  sweepableKey,
  SweepableDeposit as Sweepables
} from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { looking } from "@bursar/testkit/fixtures/commands"
import { addressItem, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { finalOf, ledgerHolds, store, submit, withStatus } from "../payout/world.ts"
import { arrived, custody, lost, planOf, requestOf, reserved, signed, sweepOf } from "./world.ts"

/** Hands over the key of an address. */
const handOver = (id: TenantId, address: string) =>
  Effect.map(
    submit(
      id,
      importDepositKey(
        {
          network: "ethereum",
          ...keyed(address),
          keyId: crypto.randomUUID(),
          sealed: "sealed",
          publicKey: "02",
          algorithm: "RSA-OAEP-SHA256",
          sourceSystem: null,
          sourceReference: null
        },
        defaultCurrencies
      )
    ),
    (imported) => imported.address
  )

/** A tenant with a wallet, an address that was issued to it and one of its own. */
const tenant = Effect.gen(function* () {
  const made = yield* custody()
  const [registered] = yield* submit(made.id, registerAddresses([addressItem(newEvmAddress())]))
  if (registered?.status !== "registered") return yield* Effect.die(new Error("not registered"))
  return { ...made, own: registered.address }
})

const eth = { ...defaultCurrencies.byCode("ETH")!, code: "ETH" } // it is one of them

/** What can be spent of ETH. */
const spendable = (id: TenantId) =>
  submit(
    id,
    looking(spendableReads("ETH", defaultCurrencies), (view) => spendableOf(view, eth))
  )

const counted = (id: TenantId) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.record(id, UnsweptImports, "ETH")),
    (found) => found?.units ?? 0n
  )

/** Sweeps all that arrived on an address, up to the end. */
const sweep = Effect.fnUntraced(function* (
  { id, wallet }: Effect.Success<typeof tenant>,
  address: DepositAddress,
  deposits: Parameters<typeof requestOf>[2],
  hash: string
) {
  const found = yield* reserved(id, planOf(wallet, [yield* requestOf(id, address, deposits)]))
  yield* withStatus(id, yield* signed(id, found.transaction, hash), finalOf(hash))
  return found.sweep
})

const close = (id: TenantId, one: Sweep) =>
  Effect.flatMap(sweepOf(id, one.id), (read) =>
    submit(id, closeSweep({ sweep: read, nativeUsd: null, retryAt: 9, currencies: defaultCurrencies }))
  )

describe("coins on an address whose key was handed over", () => {
  it.effect("back nothing before they are swept: the tenant may have kept a copy of the key, and move them", () =>
    Effect.gen(function* () {
      const made = yield* tenant
      const { address: issued, id, own } = made
      yield* arrived(id, issued, 40n)
      const before = yield* arrived(id, own, 500n)
      assert.deepStrictEqual(yield* spendable(id), { available: 540n, backed: 40n, units: 40n })
      // the coins may have left the address by now
      const imported = yield* handOver(id, own.address)
      assert.deepStrictEqual(yield* spendable(id), { available: 540n, backed: 40n, units: 40n })
      const after = yield* arrived(id, imported, 300n)
      assert.deepStrictEqual(yield* spendable(id), { available: 840n, backed: 40n, units: 40n })
      assert.strictEqual(yield* counted(id), 800n)
      const refused = looking(spendableReads("ETH", defaultCurrencies), (view) => refuseSpending(view, eth, 41n)?.code)
      assert.strictEqual(yield* submit(id, refused), "insufficient_balance")
      const one = yield* sweep(made, imported, [before, after], "0x1")
      yield* close(id, one)
      assert.strictEqual(yield* counted(id), 0n)
      assert.deepStrictEqual(yield* spendable(id), { available: 840n, backed: 840n, units: 840n })
      yield* close(id, one)
      assert.strictEqual(yield* counted(id), 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("can be written off where the tenant has moved them, and nothing else with them", () =>
    Effect.gen(function* () {
      const { address: issued, id, own } = yield* tenant
      yield* arrived(id, yield* handOver(id, own.address), 500n)
      yield* arrived(id, issued, 40n)
      const take = (units: bigint) => {
        const adjustment = { amount: of(-units, "ETH"), against: "chain:ethereum:deposits", reason: "moved" } as const
        return Effect.exit(submit(id, adjustFloat(adjustment, defaultCurrencies)))
      }
      assert.isTrue(Exit.isFailure(yield* take(541n)))
      assert.isTrue(Exit.isSuccess(yield* take(500n)))
      // the counter stands for as long as they wait to be swept, so what is left on addresses backs nothing before that
      assert.deepStrictEqual(yield* spendable(id), { available: 40n, backed: 0n, units: 0n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("count no more once their block is gone, and again when it comes back", () =>
    Effect.gen(function* () {
      const { id, own } = yield* tenant
      const imported = yield* handOver(id, own.address)
      yield* arrived(id, imported, 300n)
      const deposit = yield* arrived(id, imported, 200n)
      assert.strictEqual(yield* counted(id), 500n)
      yield* lost(id, deposit)
      assert.strictEqual(yield* counted(id), 300n)
      assert.deepStrictEqual(yield* spendable(id), { available: 300n, backed: 0n, units: 0n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("stay counted where their block is lost under a sweep, which may move them all the same", () =>
    Effect.gen(function* () {
      const { id, own, wallet } = yield* tenant
      const imported = yield* handOver(id, own.address)
      const deposits = [yield* arrived(id, imported, 300n), yield* arrived(id, imported, 200n)] as const
      const found = yield* reserved(id, planOf(wallet, [yield* requestOf(id, imported, deposits)]))
      const transaction = yield* signed(id, found.transaction, "0x1")
      yield* lost(id, deposits[0])
      assert.strictEqual(yield* counted(id), 500n)
      const loss = { _tag: "Deposit", goneBefore: Number.MAX_SAFE_INTEGER } as const
      yield* submit(id, loseSweeps({ transaction, sweeps: [yield* sweepOf(id, found.sweep.id)], loss }))
      yield* close(id, found.sweep)
      assert.isAtLeast(Number(yield* counted(id)), 200)
      yield* withStatus(id, transaction, finalOf("0x1"))
      yield* close(id, found.sweep)
      assert.strictEqual(yield* counted(id), 0n)
    }).pipe(Effect.provide(store))
  )
})

/** What befalls one of three deposits. */
type Step = readonly [deposit: number, befalls: "come" | "comeForNobody" | "goes" | "isTaken" | "isFreed" | "isSwept"]

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.integer({ min: 0, max: 2 }),
  fc.constantFrom("come", "comeForNobody", "goes", "isTaken", "isFreed", "isSwept")
)

describe("the count of unswept imports", () => {
  it("is never below what waits to be swept, whatever befalls deposits, and exact where none is lost under a sweep", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const records = new Map<string, SweepableDeposit>()
        const swept = new Set<string>()
        let count = 0n
        let exact = true
        const view = {
          get: (of: unknown, key: string) =>
            of === UnsweptImports ? { currency: "ETH", units: count } : records.get(key)
        } as unknown as View // all of a view that is looked at
        const take = (changes: ReturnType<typeof countImports>) => {
          for (const change of changes)
            if (change._tag === "RecordPut" && change.of.name === UnsweptImports.name)
              count = (change.record as UnsweptImports).units // of that kind
            else if (change._tag === "RecordPut") {
              const record = change.record as SweepableDeposit // of the other
              records.set(sweepableKey(record), record)
            }
        }
        for (const [index, befalls] of steps) {
          const identity = { network: "ethereum", txHash: `t${index}`, transferIndex: 0 } as const
          const key = sweepableKey(identity)
          const known = records.get(key)
          const put = (more: Partial<SweepableDeposit>) => {
            const fresh: SweepableDeposit = {
              ...{ ...identity, depositId: key, addressId: "a", address: "0xa", currency: "ETH", contract: null },
              ...{ units: BigInt(index + 1), key: { _tag: "Imported" }, gone: false, sweepId: null, bookedBy: null }
            }
            take(countImports(view, [putRecord(Sweepables, { ...fresh, ...known, ...more })]))
          }
          if (befalls === "come" || befalls === "comeForNobody") {
            if (known === undefined || known.gone) put({ gone: false, bookedBy: befalls === "come" ? null : "b" })
          } else if (known === undefined) continue
          else if (befalls === "goes") {
            if (known.gone) continue
            if (known.sweepId !== null) exact = false
            put({ gone: true, bookedBy: null })
          } else if (befalls === "isTaken") {
            if (known.sweepId === null && !known.gone) put({ sweepId: "s" })
          } else if (befalls === "isFreed") {
            if (known.sweepId !== null && !swept.has(key)) put({ sweepId: null })
          } else if (known.sweepId !== null && !swept.has(key)) {
            swept.add(key)
            const one = { currency: "ETH", deposits: [{ ...identity, depositId: key }] } as unknown as Sweep // all of it that is looked at
            take(countSwept(view, one))
          }
          const waits = [...records]
            .filter(([at, { bookedBy, gone }]) => !swept.has(at) && !gone && bookedBy === null)
            .reduce((sum, [, { units }]) => sum + units, 0n)
          assert.isTrue(count >= waits, `${count} of ${waits}`)
          if (exact) assert.strictEqual(count, waits)
        }
      })
    ))
})
