import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { refuseSpending, spendableOf, spendableReads } from "@bursar/core/operation/spendable"
import { UnsweptImports } from "@bursar/core/operation/UnsweptImports"
import { Queries } from "@bursar/core/store/Queries"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { reserveSweep } from "@bursar/core/sweep/reserveSweep"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { loseSweeps } from "@bursar/core/sweep/loseSweeps"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { type SweepableDeposit, SweepableDeposit as Sweepables } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { looking } from "@bursar/testkit/fixtures/commands"
import { addressItem, importingKey, keysAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { finalOf, ledgerHolds, store, submit, withStatus } from "../payout/world.ts"
import { arrived, custody, lost, planOf, requestOf, reserved, signed, sweepOf } from "./world.ts"

/** Hands over the key of an address. */
const handOver = (id: TenantId, address: string) =>
  Effect.map(submit(id, importingKey(address)), (imported) => imported.address)

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

/** Lets a deposit that was lost stand in another block, and confirms it. */
const cameBack = Effect.fnUntraced(function* (id: TenantId, address: DepositAddress, lostOne: Deposit) {
  const { currency, network, transferIndex, txHash, units } = lostOne
  const block = { number: 2_000, hash: newTxHash(), time: address.createdAt }
  const named = { addressId: address.id, address: address.address, keys: keysAt(address.address) }
  const incoming = { network, txHash, transferIndex, currency, units, fromAddress: "outside", block, confirmations: 1 }
  const command = { network, requiredConfirmations: 1, incomingTransfers: [{ ...named, ...incoming }] }
  const [deposit] = yield* submit(id, recordIncomingTransfers(command, defaultCurrencies))
  const found = [{ deposit: deposit!, blockHash: block.hash, confirmations: 1 }]
  const [confirmed] = yield* submit(id, confirmDeposits(found, defaultCurrencies, nothingUndecided))
  return confirmed!
})

const close = (id: TenantId, one: Sweep) =>
  Effect.flatMap(sweepOf(id, one.id), (read) =>
    submit(id, closeSweep({ sweep: read, nativeUsd: null, retryAt: 9, waiting: [], currencies: defaultCurrencies }))
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

  it.effect("back nothing where a sweep found only a part of them: the rest was moved by somebody", () =>
    Effect.gen(function* () {
      const { id, own, wallet } = yield* tenant
      const imported = yield* handOver(id, own.address)
      const deposits = [yield* arrived(id, imported, 300_000n), yield* arrived(id, imported, 200_000n)]
      const plan = planOf(wallet, [yield* requestOf(id, imported, deposits)])
      const found = yield* reserved(id, { ...plan, units: 1_000n })
      yield* withStatus(id, yield* signed(id, found.transaction, "0x1"), finalOf("0x1"))
      yield* close(id, found.sweep)
      // its fee of 21,000 was taken from what was there
      assert.strictEqual(yield* counted(id), 478_000n)
      assert.deepStrictEqual(yield* spendable(id), { available: 500_000n, backed: 22_000n, units: 22_000n })
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

/** What befalls a tenant whose address is imported; a number tells which deposit, or how much a sweep leaves behind. */
type Step = readonly ["arrives" | "isLost" | "comesBack" | "isSwept" | "isDone" | "isGivenUp", number]

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom("arrives", "arrives", "isLost", "comesBack", "isSwept", "isDone", "isGivenUp"),
  fc.integer({ min: 0, max: 9 })
)

describe("the count of unswept imports", () => {
  it("is what was credited on imported addresses and no sweep has moved, whatever befalls deposits", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), (steps) =>
        Effect.gen(function* () {
          const made = yield* tenant
          const { id, own, wallet } = made
          const imported = yield* handOver(id, own.address)
          const there: Array<Deposit> = []
          const gone: Array<Deposit> = []
          const open: Array<{
            readonly sweep: Sweep
            readonly transaction: OutboundTransaction
            readonly hash: string
          }> = []
          let hashes = 0
          for (const [befalls, number] of steps) {
            if (befalls === "arrives") there.push(yield* arrived(id, imported, 100n + BigInt(number)))
            else if (befalls === "isLost" && there.length > 0) {
              const [deposit] = there.splice(number % there.length, 1)
              yield* lost(id, deposit!)
              gone.push(deposit!)
            } else if (befalls === "comesBack" && gone.length > 0) {
              const [deposit] = gone.splice(number % gone.length, 1)
              there.push(yield* cameBack(id, imported, deposit!))
            } else if (befalls === "isSwept" && open.length === 0) {
              const sweepables = yield* (yield* Queries).records(id, Sweepables, imported.id)
              if (sweepables.length === 0) continue
              const plan = planOf(wallet, [
                { addressId: imported.id, address: imported.address, account: imported.address, sweepables }
              ])
              const found = yield* submit(
                id,
                reserveSweep({ ...plan, units: plan.units - BigInt(number) }, presetNetworks)
              )
              if (found._tag !== "Reserved") continue
              const hash = `0x${++hashes}`
              const transaction = yield* signed(id, found.transaction, hash)
              open.push({ sweep: found.sweeps[0]!, transaction, hash })
            } else if (befalls === "isDone" && open.length > 0) {
              const [{ hash, sweep, transaction }] = open.splice(0, 1) as [(typeof open)[number]]
              yield* withStatus(id, transaction, finalOf(hash))
              yield* close(id, sweep)
            } else if (befalls === "isGivenUp" && open.length > 0) {
              const { sweep, transaction } = open[0]!
              const loss = { _tag: "Deposit", goneBefore: Number.MAX_SAFE_INTEGER } as const
              const read = { transaction, sweeps: [yield* sweepOf(id, sweep.id)], loss }
              if (yield* submit(id, loseSweeps(read))) yield* close(id, sweep)
            }
            const sweeps = new Map((yield* (yield* Queries).records(id, Sweep)).map((one) => [one.id, one]))
            const all = yield* (yield* Queries).records(id, Sweepables)
            const moved = ({ sweepId }: SweepableDeposit) => {
              const one = sweepId === null ? undefined : sweeps.get(sweepId)
              return one?.state === "SWEPT" && one.closedAt !== null
            }
            const waits = all.filter((one) => !one.gone && !moved(one)).reduce((sum, { units }) => sum + units, 0n)
            const count = yield* counted(id)
            assert.isTrue(count >= waits, `${count} of ${waits}`)
            yield* ledgerHolds(id)
          }
        }).pipe(Effect.provide(store), Effect.runPromise)
      ),
      { numRuns: 60 }
    ))
})
