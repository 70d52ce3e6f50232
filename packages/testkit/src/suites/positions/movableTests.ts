import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { putRecord } from "@bursar/core/engine/Records"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { bareAddress, bareDeposit, bareTransaction } from "../../fixtures/records.ts"
import { newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import { newNetwork, type PositionsIt, write } from "./world.ts"

/** What whoever handed over keys may have moved. */
export const movableTests = (it: PositionsIt, timeoutMs: number): void => {
  it.effect(
    "sums up what stands on addresses of imported keys, what sweeps left there, and the coin that they were given",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        yield* write(one.id, (view) => {
          const imported = bareAddress(view, { network, address: "0xI", origin: "IMPORTED" })
          const issued = bareAddress(view, { network, address: "0xJ", origin: "ISSUED" })
          const topUp = bareTransaction(view, {
            network,
            purpose: "TOP_UP",
            payments: [{ operationId: null, to: "0xI", contract: null, units: 2n ** 70n, memo: null }]
          })
          const sweep = (more: Partial<Sweep>): Sweep => ({
            ...{ id: view.newId(), network, addressId: imported.id, address: "0xI", account: "0xI" },
            ...{ key: { _tag: "Imported" }, currency: "USDC_ETH", contract: "0xC", units: 5n, state: "SWEEP_SIGNED" },
            ...{ topUpTransactionId: null, sweepTransactionId: null, deposits: [], problem: null },
            ...{ createdAt: past, endedAt: null, closedAt: null },
            ...more
          })
          // both were given coin by one transaction
          const open = sweep({ topUpTransactionId: topUp.id })
          const swept = sweep({
            currency: "ETH",
            state: "SWEPT",
            closedAt: past,
            endedAt: past,
            topUpTransactionId: topUp.id
          })
          const deposit = (more: Partial<SweepableDeposit>) =>
            putRecord(SweepableDeposit, {
              ...{ depositId: view.newId(), network, txHash: newTxHash(), transferIndex: 0, addressId: imported.id },
              ...{ address: "0xI", currency: "ETH", contract: null, units: 100n, key: { _tag: "Imported" } },
              ...{ gone: false, sweepId: null, bookedBy: null, unbacked: 100n },
              ...more
            })
          return [
            putRecord(DepositAddress, imported),
            putRecord(DepositAddress, issued),
            putRecord(OutboundTransaction, topUp),
            putRecord(Sweep, open),
            putRecord(Sweep, swept),
            deposit({}),
            deposit({ units: 20n, bookedBy: view.newId(), unbacked: 0n }),
            deposit({ units: 3n, sweepId: swept.id, unbacked: 1n }),
            deposit({ units: 500n, gone: true, unbacked: 0n }),
            deposit({ units: 7n, currency: "USDC_ETH", sweepId: open.id, gone: true, unbacked: 7n }),
            deposit({
              units: 900n,
              addressId: issued.id,
              address: "0xJ",
              key: { _tag: "Issued", seedId: "s", index: 0 }
            })
          ]
        })
        yield* write(other.id, (view) => {
          const imported = bareAddress(view, { network, address: "0xK", origin: "IMPORTED" })
          return [
            putRecord(DepositAddress, imported),
            putRecord(SweepableDeposit, {
              ...{ depositId: view.newId(), network, txHash: newTxHash(), transferIndex: 0, addressId: imported.id },
              ...{ address: "0xK", currency: "ETH", contract: null, units: 4_000n, key: { _tag: "Imported" } },
              ...{ gone: false, sweepId: null, bookedBy: null, unbacked: 4_000n }
            })
          ]
        })
        const { movable } = yield* Positions
        assert.strictEqual(yield* movable({ network, currency: "ETH", isNative: true }), 2n ** 70n + 4_121n)
        assert.strictEqual(yield* movable({ network, currency: "USDC_ETH", isNative: false }), 7n)
        assert.strictEqual(yield* movable({ network: newNetwork(), currency: "ETH", isNative: true }), 0n)
      }),
    timeoutMs
  )

  it.effect(
    "counts what came to addresses of imported keys and is not confirmed yet, once each",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id } = yield* newTenant()
        yield* write(id, (view) => {
          const imported = bareAddress(view, { network, address: "0xI", origin: "IMPORTED" })
          const issued = bareAddress(view, { network, address: "0xJ", origin: "ISSUED" })
          const inBlock = { number: 7, hash: "h7", time: past }
          const deposit = (units: bigint, more: Partial<Deposit> = {}) =>
            bareDeposit(view, imported, { units, block: inBlock, status: "DETECTED", ...more })
          const deposits = [
            deposit(2n ** 70n),
            deposit(300n, { block: null }),
            deposit(400n, { status: "REORGED" }),
            deposit(7n, { currency: "USDC_ETH" }),
            bareDeposit(view, issued, { units: 500n, block: inBlock, status: "DETECTED" })
          ]
          // both were confirmed until their blocks were replaced, and are there again: one while a sweep has it
          const free = deposit(20n)
          const taken = deposit(3_000n)
          const sweepable = ({ id: depositId, txHash, units }: Deposit, sweepId: string | null): SweepableDeposit => ({
            ...{ depositId, network, txHash, transferIndex: 0, addressId: imported.id, address: "0xI" },
            ...{ currency: "ETH", contract: null, units, key: { _tag: "Imported" } },
            ...{ gone: true, sweepId, bookedBy: null, unbacked: 0n }
          })
          return [
            putRecord(DepositAddress, imported),
            putRecord(DepositAddress, issued),
            ...[...deposits, free, taken].map((one) => putRecord(Deposit, one)),
            putRecord(SweepableDeposit, sweepable(free, null)),
            putRecord(SweepableDeposit, sweepable(taken, view.newId()))
          ]
        })
        const { movable } = yield* Positions
        assert.strictEqual(yield* movable({ network, currency: "ETH", isNative: true }), 2n ** 70n + 3_020n)
        assert.strictEqual(yield* movable({ network, currency: "USDC_ETH", isNative: false }), 7n)
      }),
    timeoutMs
  )

  it.effect(
    "takes off what sweeps of other assets have spent of the coin that they were given, and no more than that",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id } = yield* newTenant()
        yield* write(id, (view) => {
          const imported = bareAddress(view, { network, address: "0xI", origin: "IMPORTED" })
          const issued = bareAddress(view, { network, address: "0xJ", origin: "ISSUED" })
          const given = (units: bigint) =>
            bareTransaction(view, {
              network,
              purpose: "TOP_UP",
              payments: [{ operationId: null, to: "0xI", contract: null, units, memo: null }]
            })
          const moved = (more: Partial<OutboundTransaction>) =>
            bareTransaction(view, { network, purpose: "SWEEP", phase: "FINAL", fee: 30n, ...more })
          const sweep = (topUp: OutboundTransaction, move: OutboundTransaction, more: Partial<Sweep> = {}): Sweep => ({
            ...{ id: view.newId(), network, addressId: imported.id, address: "0xI", account: "0xI" },
            ...{ key: { _tag: "Imported" }, currency: "USDC_ETH", contract: "0xC", units: 5n, state: "SWEPT" },
            ...{ topUpTransactionId: topUp.id, sweepTransactionId: move.id, deposits: [], problem: null },
            ...{ createdAt: past, endedAt: past, closedAt: past },
            ...more
          })
          const topUps = [given(100n), given(1_000n), given(20n), given(10_000n), given(500_000n)] as const
          const [one, twice, less, under, others] = topUps
          const moves = {
            done: moved({ outcome: "done" }),
            first: moved({ outcome: "reverted" }),
            second: moved({ outcome: "done" }),
            more: moved({ outcome: "done" }),
            pending: moved({ phase: "BROADCAST", fee: null }),
            native: moved({ outcome: "done" })
          }
          return [
            putRecord(DepositAddress, imported),
            putRecord(DepositAddress, issued),
            ...[...topUps, ...Object.values(moves)].map((each) => putRecord(OutboundTransaction, each)),
            putRecord(Sweep, sweep(one, moves.done)),
            // two currencies by one top-up
            putRecord(Sweep, sweep(twice, moves.first)),
            putRecord(Sweep, sweep(twice, moves.second, { currency: "USDT_ETH", contract: "0xD" })),
            // the address had some of its own
            putRecord(Sweep, sweep(less, moves.more)),
            putRecord(Sweep, sweep(under, moves.pending)),
            // what it costs to move the coin itself is of what is moved
            putRecord(Sweep, sweep(under, moves.native, { currency: "ETH", contract: null })),
            putRecord(Sweep, sweep(others, moves.done, { addressId: issued.id, address: "0xJ", account: "0xJ" }))
          ]
        })
        const { movable } = yield* Positions
        assert.strictEqual(yield* movable({ network, currency: "ETH", isNative: true }), 70n + 940n + 0n + 10_000n)
        assert.strictEqual(yield* movable({ network, currency: "USDC_ETH", isNative: false }), 0n)
      }),
    timeoutMs
  )
}
