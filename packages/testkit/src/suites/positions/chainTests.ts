import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { isPut, putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import type { Network } from "@bursar/core/money/Network"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { WatchState } from "@bursar/core/store/WatchState"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { adjust } from "../../fixtures/commands.ts"
import { takeFence } from "../../fixtures/fences.ts"
import { bareAddress, bareDeposit, bareTransaction } from "../../fixtures/records.ts"
import { newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import { newNetwork, type PositionsIt, take, write } from "./world.ts"

const above = 1_000

const transferOf = (network: Network, more: Partial<WalletTransfer>): Omit<WalletTransfer, "tenantId"> => ({
  network,
  txHash: newTxHash(),
  transferIndex: 0,
  walletId: crypto.randomUUID(),
  place: "WALLET",
  address: "a",
  paidTo: "a",
  memo: null,
  currency: "ETH",
  units: 1n,
  fromAddress: null,
  block: { number: above, hash: "h", time: past },
  status: "DETECTED",
  bookedBy: null,
  ownUnits: 0n,
  detectedAt: past,
  ...more
})

/** The books of a network, and what is not in them and in the blocks alike. */
export const chainTests = (it: PositionsIt, timeoutMs: number): void => {
  it.effect(
    "sums up what all tenants have at the wallets and addresses, less what left without having stood there",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const [wallets, addresses] = [`chain:${network}:payouts`, `chain:${network}:deposits`] as const
        const [one, other] = [yield* newTenant(), yield* newTenant({ kind: "SANDBOX" })]
        const { submit } = yield* Writer
        yield* submit(one.id, adjust(100n, "ETH", { against: wallets }))
        yield* submit(other.id, adjust(2n ** 70n, "ETH", { against: wallets }))
        yield* submit(one.id, adjust(7n, "USDC_ETH", { against: addresses }))
        yield* submit(one.id, adjust(50n, "ETH", { against: `chain:${network}:tenant` }))
        yield* take(one.id, wallets, 130n)
        yield* take(other.id, addresses, 3n)
        const { balances, cursor } = yield* (yield* Positions).chain(network, above)
        assert.deepStrictEqual(balances, [
          { account: addresses, currency: "ETH", units: -3n },
          { account: addresses, currency: "USDC_ETH", units: 7n },
          { account: wallets, currency: "ETH", units: 2n ** 70n - 30n }
        ])
        assert.isUndefined(cursor)
        const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
        const block = { number: 9, hash: "0x9", parentHash: "0x8", time: past }
        yield* (yield* WatchState).advance(fence, network, block, 9)
        assert.deepStrictEqual((yield* (yield* Positions).chain(network, above)).cursor, block)
      }),
    timeoutMs
  )

  it.effect(
    "names deposits that are not booked, and booked ones of later blocks",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id } = yield* newTenant()
        const booked = crypto.randomUUID()
        const written = yield* write(id, (view) => {
          const held = bareAddress(view, { network, origin: "ISSUED" })
          const own = bareAddress(view, { network, origin: "REGISTERED" })
          const block = (number: number) => ({ number, hash: "h", time: past })
          const deposits = {
            waits: bareDeposit(view, held, { block: block(above) }),
            credited: bareDeposit(view, held, { block: block(above), creditedBy: booked, status: "CONFIRMED" }),
            creditedLater: bareDeposit(view, held, {
              block: block(above + 1),
              creditedBy: booked,
              status: "CONFIRMED"
            }),
            adjusted: bareDeposit(view, held, { block: block(above), status: "CONFIRMED" }),
            adjustedLater: bareDeposit(view, held, { block: block(above + 1), status: "CONFIRMED" }),
            gone: bareDeposit(view, held, { block: block(above), status: "REORGED", reorgedAt: view.now }),
            unmined: bareDeposit(view, held, { block: null, confirmations: 0 }),
            own: bareDeposit(view, own, { block: block(above) })
          }
          const sweepable = (deposit: Deposit): SweepableDeposit => ({
            network,
            txHash: deposit.txHash,
            transferIndex: deposit.transferIndex,
            depositId: deposit.id,
            addressId: held.id,
            address: held.address,
            currency: "ETH",
            contract: null,
            units: 1n,
            key: { _tag: "Imported" },
            gone: false,
            sweepId: null,
            bookedBy: booked,
            unbacked: 0n
          })
          return [
            putRecord(DepositAddress, held),
            putRecord(DepositAddress, own),
            ...Object.values(deposits).map((deposit) => putRecord(Deposit, deposit)),
            putRecord(SweepableDeposit, sweepable(deposits.adjusted)),
            putRecord(SweepableDeposit, sweepable(deposits.adjustedLater))
          ]
        })
        const [waits, , creditedLater, , adjustedLater] = written.flatMap((change) =>
          isPut(Deposit, change) ? [change.record] : []
        )
        const { deposits } = yield* (yield* Positions).chain(network, above)
        assert.sameDeepMembers(
          [...deposits],
          [
            { deposit: waits, isBooked: false },
            { deposit: creditedLater, isBooked: true },
            { deposit: adjustedLater, isBooked: true }
          ]
        )
        assert.deepStrictEqual((yield* (yield* Positions).chain(newNetwork(), 0)).deposits, [])
      }),
    timeoutMs
  )

  it.effect(
    "names transfers to wallets that are not final or of later blocks, and none that its own transactions made",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id: tenantId } = yield* newTenant()
        const [booked, own] = [crypto.randomUUID(), newTxHash()]
        const later = { number: above + 1, hash: "h", time: past }
        const all = [
          transferOf(network, {}),
          transferOf(network, { status: "CONFIRMED", bookedBy: booked, block: later }),
          transferOf(network, { place: "ACCOUNT", status: "CONFIRMED", bookedBy: booked }),
          transferOf(network, { status: "REORGED", block: later }),
          transferOf(network, { txHash: own })
        ].map((one) => ({ ...one, tenantId }))
        const attemptOf = (transactionId: string): TransactionAttempt => ({
          network,
          hash: own,
          transactionId,
          raw: new Uint8Array([1]),
          validUntil: null,
          replaces: null,
          pays: [],
          feeMax: 1n,
          signedAt: past,
          sentAt: past
        })
        yield* write(tenantId, (view) => {
          const transaction = bareTransaction(view, { network, phase: "SIGNED", signedAt: past })
          return [
            ...all.map((one) => putRecord(WalletTransfer, one)),
            putRecord(OutboundTransaction, transaction),
            putRecord(TransactionAttempt, attemptOf(transaction.id))
          ]
        })
        const { transfers } = yield* (yield* Positions).chain(network, above)
        assert.sameDeepMembers(
          [...transfers],
          [
            { transfer: all[0], isBooked: false },
            { transfer: all[1], isBooked: true }
          ]
        )
      }),
    timeoutMs
  )

  it.effect(
    "names transactions that were signed and are not final, and final ones of later blocks",
    () =>
      Effect.gen(function* () {
        const network = newNetwork()
        const { id: tenantId } = yield* newTenant()
        const final = { phase: "FINAL", fee: 1n, endedAt: past } as const
        const written = yield* write(tenantId, (view) =>
          [
            bareTransaction(view, { network, phase: "SIGNED", signedAt: past }),
            bareTransaction(view, { network, phase: "BROADCAST", signedAt: past, sentAt: past }),
            bareTransaction(view, { network, phase: "INCLUDED", signedAt: past, sentAt: past, blockNumber: above }),
            bareTransaction(view, { network, ...final, outcome: "done", blockNumber: above + 1 }),
            bareTransaction(view, { network }),
            bareTransaction(view, { network, ...final, outcome: "done", blockNumber: above }),
            bareTransaction(view, { network, ...final, outcome: "expired", fee: null })
          ].map((one) => putRecord(OutboundTransaction, one))
        )
        const { transactions } = yield* (yield* Positions).chain(network, above)
        assert.sameDeepMembers(
          [...transactions],
          written.slice(0, 4).map(({ record: transaction }) => ({ transaction, tenantId }))
        )
      }),
    timeoutMs
  )
}
