import { nothingUndecided } from "@bursar/core/deposit/undecided"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord } from "@bursar/core/engine/Records"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import {
  type IncomingTransfer,
  recordIncomingTransfers,
  type RecordIncomingTransfers
} from "@bursar/core/incoming/recordIncomingTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { SweepableDeposit, sweepableKey } from "@bursar/core/sweep/SweepableDeposit"
import { DepositAddress as Addresses } from "@bursar/core/address/DepositAddress"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import * as Memory from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { addressItem, incomingTransferAt, type MinedTransfer, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"

/** A tenant that watches some addresses of its own, and its commands at one moment. */
const setUp = Effect.fnUntraced(function* (count = 1) {
  const { id } = yield* newTenant({ createdAt: past })
  const queries = yield* Queries
  const submit = <A>(command: Command<A>) => Effect.map(commitAt(id, past + 1, command), ([reply]) => reply as A) // a command's reply is of its kind
  const items = Array.from({ length: count }, () => addressItem(newEvmAddress()))
  yield* commitAt(id, past, registerAddresses(items))
  const all = yield* queries.addresses(id, { includeRetired: false, limit: 10 })
  const addresses = items.map(({ address }) => all.find((one) => one.address === address)!) // each was registered
  const record = (
    transfers: ReadonlyArray<IncomingTransfer>,
    reading: NonNullable<RecordIncomingTransfers["reading"]> = "again"
  ) =>
    submit(
      recordIncomingTransfers(
        { network: "ethereum", requiredConfirmations: 3, reading, incomingTransfers: transfers },
        defaultCurrencies
      )
    )
  const confirm = (deposits: ReadonlyArray<Deposit>) =>
    submit(
      confirmDeposits(
        deposits.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 3 })),
        defaultCurrencies,
        nothingUndecided
      )
    )
  const stored = Effect.map(
    queries.deposits(id, { after: 0, limit: 100 }),
    (found) => new Map(found.map((one) => [one.id, one]))
  )
  const available = Effect.map(
    queries.float(id),
    (found) => found.find(({ account, currency }) => account === "float:available" && currency === "ETH")?.units ?? 0n
  )
  return { id, addresses, submit, record, confirm, stored, available, queries }
})

const block = { number: 7, hash: "0xb7", time: past }

const seen = ({ address, block: at, currency, fromAddress, status, units }: Deposit) => ({
  address,
  block: at?.hash,
  currency,
  fromAddress,
  status,
  units
})

layer(Memory.layer, { excludeTestServices: true })("what two nodes agree on of a block", (it) => {
  it.effect.each<readonly [string, (other: DepositAddress) => Partial<MinedTransfer>]>([
    ["another amount", () => ({ units: 2n })],
    ["another currency", () => ({ currency: "USDC_ETH" })],
    ["another sender", () => ({ fromAddress: "0x00000000000000000000000000000000000000F1" })],
    ["no sender", () => ({ fromAddress: null })],
    ["another address", (other) => ({ address: other.address, addressId: other.id })]
  ])("takes the place of what was recorded of it and counts for nothing yet: %s", ([, differs]) =>
    Effect.gen(function* () {
      const { addresses, record, stored } = yield* setUp(2)
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      const other = { ...first, ...differs(addresses[1]!) }
      const [known] = yield* record([first])
      // one node alone changes nothing of a block that is known
      assert.deepStrictEqual(yield* record([other]), [])
      assert.deepStrictEqual(yield* record([other], "first"), [])
      assert.deepStrictEqual(yield* record([first], "agreed"), [])
      const [corrected] = yield* record([other], "agreed")
      assert.deepStrictEqual(
        [corrected?.id, seen(corrected!)],
        [
          known?.id,
          {
            address: other.address,
            block: block.hash,
            currency: other.currency,
            fromAddress: other.fromAddress,
            status: "DETECTED",
            units: other.units
          }
        ]
      )
      assert.deepStrictEqual((yield* stored).get(known!.id), corrected)
    })
  )

  it.effect.each<readonly [string, (other: DepositAddress) => Partial<MinedTransfer>]>([
    ["another currency", () => ({ currency: "USDC_ETH" })],
    ["another sender", () => ({ fromAddress: "0x00000000000000000000000000000000000000F1" })],
    ["another address", (other) => ({ address: other.address, addressId: other.id })]
  ])("is not confirmed by whoever read it before, and is by the next: %s", ([, differs]) =>
    Effect.gen(function* () {
      const { addresses, confirm, record } = yield* setUp(2)
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      const before = yield* record([first])
      const corrected = yield* record([{ ...first, ...differs(addresses[1]!) }], "agreed")
      assert.deepStrictEqual(yield* confirm(before), [])
      assert.lengthOf(yield* confirm(corrected), 1)
    })
  )

  it.effect("changes nothing of what counts already", () =>
    Effect.gen(function* () {
      const { addresses, available, confirm, record } = yield* setUp()
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      yield* confirm(yield* record([first]))
      assert.deepStrictEqual(yield* record([{ ...first, units: 2n }], "agreed"), [])
      assert.strictEqual(yield* available, 5n)
    })
  )

  it.effect("leaves what is said of another block to wait until its own is seen to go", () =>
    Effect.gen(function* () {
      const { addresses, record, stored } = yield* setUp()
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      const [known] = yield* record([first])
      const elsewhere = { ...first, currency: "USDC_ETH", block: { ...block, hash: "0xother" } }
      assert.deepStrictEqual(yield* record([elsewhere], "agreed"), [])
      assert.deepStrictEqual((yield* stored).get(known!.id), known)
    })
  )

  it.effect("leaves a deposit as old as it was for its address, and judges another address anew", () =>
    Effect.gen(function* () {
      const { addresses, record } = yield* setUp(2)
      const old = { ...block, time: past - 60_000 }
      const first = incomingTransferAt(addresses[0]!, 5n, { block: old })
      assert.isTrue((yield* record([first]))[0]?.historical)
      // the height is known, the time that is told of it now is another
      const later = { ...first, units: 4n, block }
      assert.isTrue((yield* record([later], "agreed"))[0]?.historical)
      const moved = { ...later, address: addresses[1]!.address, addressId: addresses[1]!.id }
      assert.isFalse((yield* record([moved], "agreed"))[0]?.historical)
    })
  )
})

layer(Memory.layer, { excludeTestServices: true })("an arrival in the place of another", (it) => {
  it.effect("takes it in another block where it is the same transfer, with what it moves there", () =>
    Effect.gen(function* () {
      const { addresses, record } = yield* setUp()
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      const [known] = yield* record([first])
      const [moved] = yield* record([{ ...first, units: 6n, block: { ...block, hash: "0xb8" } }])
      assert.deepStrictEqual([moved?.id, moved?.units, moved?.block?.hash], [known?.id, 6n, "0xb8"])
    })
  )

  it.effect.each<readonly [string, (other: DepositAddress) => Partial<MinedTransfer>]>([
    ["of another currency", () => ({ currency: "USDC_ETH" })],
    ["to another address", (other) => ({ address: other.address, addressId: other.id })]
  ])("waits until that is seen to go, where it is another transfer: %s", ([, differs]) =>
    Effect.gen(function* () {
      const { addresses, record, stored } = yield* setUp(2)
      const first = incomingTransferAt(addresses[0]!, 5n, { block })
      const [known] = yield* record([first])
      const other = { ...first, ...differs(addresses[1]!), block: { ...block, hash: "0xb8" } }
      assert.deepStrictEqual(yield* record([other]), [])
      assert.deepStrictEqual((yield* stored).get(known!.id), known)
    })
  )

  it.effect("is the one that waited for a block, whatever record its address has by now", () =>
    Effect.gen(function* () {
      const { addresses, record, submit } = yield* setUp(2)
      const [own, other] = addresses
      const waiting = { ...incomingTransferAt(own!, 5n), block: null }
      const [known] = yield* record([waiting])
      // the key has changed hands meanwhile: the address stands in another record
      const again: DepositAddress = { ...own!, id: crypto.randomUUID() }
      yield* submit(writing(() => [putRecord(Addresses, again)]))
      assert.deepStrictEqual(yield* record([{ ...waiting, address: other!.address, addressId: other!.id, block }]), [])
      const [mined] = yield* record([{ ...waiting, addressId: again.id, block }])
      assert.deepStrictEqual([mined?.id, mined?.block, mined?.historical], [known?.id, block, false])
    })
  )
})

layer(Memory.layer, { excludeTestServices: true })("what does not arrive", (it) => {
  it.effect("is what a transaction of our own moves without paying for anybody, such as coin for fees", () =>
    Effect.gen(function* () {
      const { addresses, record, submit } = yield* setUp()
      const sent = (pays: ReadonlyArray<string>): MinedTransfer & { readonly pays: ReadonlyArray<string> } => ({
        ...incomingTransferAt(addresses[0]!, 5n, { block }),
        pays
      })
      const [topUp, payout] = [sent([]), sent(["payout"])]
      yield* submit(
        writing(() =>
          [topUp, payout].map(({ pays, txHash }) =>
            putRecord(TransactionAttempt, {
              network: "ethereum",
              hash: txHash,
              transactionId: "ours",
              raw: new Uint8Array(),
              validUntil: null,
              replaces: null,
              pays,
              feeMax: 0n,
              signedAt: past,
              sentAt: null
            })
          )
        )
      )
      const recorded = yield* record([topUp, payout])
      assert.deepStrictEqual(
        recorded.map(({ txHash }) => txHash),
        [payout.txHash]
      )
    })
  )

  it.effect("is what came to nobody's address, and to one that was retired before its key was used elsewhere", () =>
    Effect.gen(function* () {
      const { addresses, queries, id, record, submit } = yield* setUp()
      const [own] = addresses
      const arrival = incomingTransferAt(own!, 5n, { block })
      assert.deepStrictEqual(yield* record([{ ...arrival, addressId: crypto.randomUUID() }]), [])
      yield* submit(writing(() => [putRecord(Addresses, { ...own!, retiredAt: past })]))
      const onBase = recordIncomingTransfers(
        {
          network: "base",
          requiredConfirmations: 3,
          incomingTransfers: [{ ...arrival, network: "base", currency: "ETH_BASE" }]
        },
        defaultCurrencies
      )
      assert.deepStrictEqual(yield* submit(onBase), [])
      assert.strictEqual((yield* queries.addresses(id, { includeRetired: true, limit: 10 })).length, 1)
    })
  )
})

layer(Memory.layer, { excludeTestServices: true })("deposits that are confirmed together", (it) => {
  it.effect("are credited where they came from first: in whichever order they are found", () =>
    Effect.gen(function* () {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0]
      ] as const) {
        const { addresses, available, confirm, record, stored, submit } = yield* setUp(3)
        const [first, second, third] = addresses
        // the third is one whose key the service holds
        const issued: DepositAddress = { ...third!, origin: "ISSUED" }
        yield* submit(writing(() => [putRecord(Addresses, issued)]))
        const txs = [newTxHash(), newTxHash(), newTxHash()]
        const recorded = yield* record([
          incomingTransferAt(first!, 10n, { txHash: txs[0]!, block }),
          incomingTransferAt(second!, 10n, { txHash: txs[1]!, fromAddress: first!.address, block }),
          incomingTransferAt(third!, 10n, { txHash: txs[2]!, fromAddress: second!.address, block })
        ])
        assert.strictEqual(recorded.length, 3)
        yield* confirm(order.map((at) => recorded[at]!))
        const all = yield* stored
        assert.deepStrictEqual(
          recorded.map(({ id }) => all.get(id)?.ownUnits),
          [0n, 10n, 10n]
        )
        assert.strictEqual(yield* available, 10n)
      }
    })
  )

  it.effect("wait to be swept where the service holds the key, credited or not", () =>
    Effect.gen(function* () {
      const { addresses, confirm, id, queries, record, submit } = yield* setUp(2)
      const [own, other] = addresses
      yield* submit(
        writing(() => [
          putRecord(Addresses, { ...other!, origin: "ISSUED", seedId: crypto.randomUUID(), derivationIndex: 0 })
        ])
      )
      const recorded = yield* record([
        incomingTransferAt(own!, 1n, { block }),
        incomingTransferAt(other!, 2n, { block }),
        // mined before the address was registered: it is not credited
        incomingTransferAt(other!, 3n, { block: { ...block, time: past - 60_000 } })
      ])
      const confirmed = yield* confirm(recorded)
      assert.deepStrictEqual(confirmed.map(({ creditedBy, units }) => [units, creditedBy !== null]).toSorted(), [
        [1n, true],
        [2n, true],
        [3n, false]
      ])
      const swept = yield* Effect.forEach(recorded, (one) => queries.record(id, SweepableDeposit, sweepableKey(one)))
      assert.deepStrictEqual(
        swept.map((one) => one?.units),
        [undefined, 2n, 3n]
      )
    })
  )
})
