import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { WalletTransfer, walletTransferKey } from "@bursar/core/deposit/WalletTransfer"
import type { Command } from "@bursar/core/engine/Command"
import { collectReads } from "@bursar/core/engine/Read"
import { putRecord, recordsIn } from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import { firstHead } from "@bursar/core/engine/WriteSet"
import * as Writer from "@bursar/core/engine/Writer"
import {
  confirmWalletTransfers,
  type FoundAtWallet,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import type { Account } from "@bursar/core/ledger/Account"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { provisioningItem, provisioningQueue } from "@bursar/core/transaction/queues"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { utxoKey, type UtxoState, WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { layer as layerMemory } from "@bursar/memory"
import { adjust, looking, writing } from "@bursar/testkit/fixtures/commands"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { newIdAt } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { loadedWith } from "../engine/loaded.ts"

const store = Writer.layer.pipe(Layer.provideMerge(Layer.fresh(layerMemory)))

const b1 = { number: 1, hash: "b1", time: 10 }
const b2 = { number: 2, hash: "b2", time: 20 }

const found = (more: Partial<FoundAtWallet> = {}): FoundAtWallet => ({
  network: "ethereum",
  txHash: "t",
  transferIndex: 3,
  walletId: "wallet",
  address: "at",
  paidTo: "at",
  memo: null,
  currency: "ETH",
  units: 7n,
  fromAddress: "outside",
  block: b1,
  ...more
})

const record = (all: ReadonlyArray<FoundAtWallet>, reading?: "again" | "agreed") =>
  recordWalletTransfers(all, presetNetworks, reading)
const among = (all: ReadonlyArray<WalletTransfer>, block = b1) =>
  all.map((incomingTransfer) => ({ incomingTransfer, block }))
const confirm = (all: ReadonlyArray<WalletTransfer>, block = b1) =>
  confirmWalletTransfers(among(all, block), presetNetworks, nothingUndecided)
const reorg = (all: ReadonlyArray<WalletTransfer>, block = b1) =>
  reorgWalletTransfers(among(all, block), presetNetworks)

/** Commands at moments of their own, by one tenant. */
const tenant = Effect.gen(function* () {
  const { id } = yield* newTenant({ createdAt: past })
  let now = past
  const submit = <A>(command: Command<A>) => Effect.map(commitAt(id, (now += 1_000), command), ([reply]) => reply as A) // a command's reply is of its kind
  /** Records arrivals and confirms them. */
  const book = (...all: ReadonlyArray<FoundAtWallet>) =>
    Effect.flatMap(submit(record(all)), (recorded) => submit(confirm(recorded)))
  return { id, submit, book, now: () => now }
})

/** Where coins of ethereum stand, and what is nobody's. */
const places = [
  "chain:ethereum:payouts",
  "chain:ethereum:deposits",
  "chain:ethereum:tenant",
  "suspense"
] as const satisfies ReadonlyArray<Account>

/** What stands there of a tenant's, but for nothing. */
const held = (id: TenantId) =>
  Effect.gen(function* () {
    const look = looking(
      places.map((account) => ({ _tag: "Balance", account, currency: "ETH" }) as const),
      (view) => places.map((account) => [account, view.balance(account, "ETH").units] as const)
    )
    const all = yield* (yield* Writer.Writer).submit(id, look)
    return Object.fromEntries(all.filter(([, units]) => units !== 0n))
  })

const stored = (id: TenantId, one: FoundAtWallet) =>
  Effect.flatMap(Queries, (queries) => queries.record(id, WalletTransfer, walletTransferKey(one)))

const coin = (id: TenantId, { network, transferIndex, txHash }: FoundAtWallet) =>
  Effect.flatMap(Queries, (queries) =>
    queries.record(id, WalletUtxo, utxoKey(network, { txHash, vout: transferIndex }))
  )

const legsOf = (id: TenantId, operationId: string | null | undefined) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.legs(id, operationId ?? "")),
    (legs) => legs.map(({ account, direction, units, what }) => [account, direction, units, what])
  )

describe("what comes to a wallet", () => {
  it.effect("is noted as it was found, and counts for nothing until its block is deep enough", () =>
    Effect.gen(function* () {
      const { id, now, submit } = yield* tenant
      const one = found()
      const [noted] = yield* submit(record([one]))
      assert.deepStrictEqual(noted, {
        ...one,
        tenantId: id,
        place: "WALLET",
        status: "DETECTED",
        bookedBy: null,
        ownUnits: 0n,
        detectedAt: now()
      })
      assert.deepStrictEqual(yield* stored(id, one), noted)
      assert.deepStrictEqual(yield* held(id), {})
    }).pipe(Effect.provide(store))
  )

  it.effect("is noted once where it is named twice, or found again in the same block", () =>
    Effect.gen(function* () {
      const { id, submit } = yield* tenant
      const noted = yield* submit(record([found({ units: 6n }), found()]))
      assert.deepStrictEqual(
        noted.map(({ units }) => units),
        [7n]
      )
      assert.deepStrictEqual(yield* submit(record([found({ units: 9n })])), [])
      assert.strictEqual((yield* stored(id, found()))?.units, 7n)
      const two = yield* submit(record([found({ transferIndex: 1 }), found({ txHash: "other" })]))
      assert.strictEqual(two.length, 2)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps since when it is known where it turns up in another block", () =>
    Effect.gen(function* () {
      const { id, submit } = yield* tenant
      const [first] = yield* submit(record([found()]))
      const [second] = yield* submit(record([found({ block: b2 })]))
      assert.deepStrictEqual(second, { ...first!, block: b2 })
      assert.deepStrictEqual(yield* held(id), {})
      // what was confirmed is taken back, and waits for the depth of its new block
      const [confirmed] = yield* submit(confirm([second!], b2))
      assert.deepStrictEqual(yield* held(id), { "chain:ethereum:payouts": 7n, suspense: -7n })
      const [third] = yield* submit(record([found()]))
      assert.deepStrictEqual(third, first)
      assert.deepStrictEqual(yield* held(id), {})
      const operations = yield* (yield* Queries).operations({ tenantId: id, order: "oldest", limit: 10 })
      assert.deepStrictEqual(
        operations.map(({ amount, details }) => [amount.units, details["reverses"]]),
        [
          [7n, undefined],
          [-7n, confirmed?.bookedBy]
        ]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("is not confirmed as it was read before it was corrected, and is once that was read", () =>
    Effect.gen(function* () {
      for (const corrected of [{ currency: "USDC_ETH" }, { fromAddress: null }]) {
        const { submit } = yield* tenant
        const before = yield* submit(record([found()]))
        const agreed = yield* submit(record([found(corrected)], "agreed"))
        assert.deepStrictEqual(yield* submit(confirm(before)), [])
        assert.lengthOf(yield* submit(confirm(agreed)), 1)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is noted anew in its block where two nodes agree on it, or it had left the chain", () =>
    Effect.gen(function* () {
      const { submit } = yield* tenant
      const [first] = yield* submit(record([found()]))
      const [agreed] = yield* submit(record([found({ units: 8n })], "agreed"))
      assert.deepStrictEqual(agreed, { ...first!, units: 8n })
      yield* submit(confirm([agreed!]))
      assert.deepStrictEqual(yield* submit(record([found()], "agreed")), [])
      const [gone] = yield* submit(reorg([agreed!]))
      assert.strictEqual(gone?.status, "REORGED")
      const [again] = yield* submit(record([found()]))
      assert.deepStrictEqual([again?.status, again?.detectedAt], ["DETECTED", first?.detectedAt])
    }).pipe(Effect.provide(store))
  )

  it.effect("is booked against suspense once it is confirmed, and once only", () =>
    Effect.gen(function* () {
      const { id, now, submit } = yield* tenant
      const one = found({ memo: { type: "text", value: "m" }, paidTo: "part" })
      const [noted] = yield* submit(record([one]))
      assert.deepStrictEqual(yield* submit(confirm([noted!], b2)), [])
      const [confirmed] = yield* submit(confirm([noted!, noted!]))
      const at = now()
      assert.deepStrictEqual(confirmed, { ...noted!, status: "CONFIRMED", bookedBy: confirmed?.bookedBy ?? "" })
      assert.deepStrictEqual(yield* submit(confirm([noted!])), [])
      const operation = yield* (yield* Queries).operation(id, confirmed?.bookedBy ?? "")
      assert.deepStrictEqual(
        [operation?.kind, operation?.status, operation?.amount, operation?.network, operation?.txHash],
        ["ADJUSTMENT", "SETTLED", { units: 7n, currency: "ETH" }, "ethereum", "t"]
      )
      assert.deepStrictEqual([operation?.createdAt, operation?.settledAt], [at, at])
      const { reason, ...details } = operation?.details ?? {}
      assert.match(String(reason), /ethereum wallet from outside/u)
      assert.deepStrictEqual(details, {
        wallet_arrival: {
          network: "ethereum",
          tx_hash: "t",
          transfer_index: 3,
          address: "at",
          paid_to: "part",
          memo: { type: "text", value: "m" },
          from_address: "outside"
        },
        place: "WALLET",
        own_units: "0"
      })
      assert.deepStrictEqual(yield* legsOf(id, confirmed?.bookedBy), [
        ["chain:ethereum:payouts", "DEBIT", 7n, "adjustment"],
        ["suspense", "CREDIT", 7n, "adjustment"]
      ])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not booked where a transaction of our own brought it: it is booked with that", () =>
    Effect.gen(function* () {
      const { book, id, submit } = yield* tenant
      yield* submit(
        writing(() => [
          putRecord(TransactionAttempt, {
            network: "ethereum",
            hash: "t",
            transactionId: "ours",
            raw: new Uint8Array(),
            validUntil: null,
            replaces: null,
            pays: [],
            feeMax: 0n,
            signedAt: past,
            sentAt: null
          })
        ])
      )
      const [confirmed] = yield* book(found())
      assert.deepStrictEqual([confirmed?.status, confirmed?.bookedBy, confirmed?.ownUnits], ["CONFIRMED", null, 0n])
      assert.deepStrictEqual(yield* held(id), {})
      // nor is it taken back
      yield* submit(reorg([confirmed!]))
      assert.deepStrictEqual(yield* held(id), {})
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves the addresses of the tenant's own that sent it, as far as it was credited there", () =>
    Effect.gen(function* () {
      const { book, id, submit } = yield* tenant
      const { address: own } = yield* newAddress(id)
      yield* submit(adjust(10n, "ETH", { against: "chain:ethereum:tenant" }))
      const sent = (transferIndex: number, units: bigint, currency = "ETH") =>
        found({ transferIndex, units, currency, fromAddress: own })
      // of three that come together, the second finds what the first has left, and the third nothing
      const all = yield* book(sent(0, 4n), sent(1, 8n), sent(2, 5n), sent(3, 2n, "USDT_ETH"))
      assert.deepStrictEqual(
        all.map(({ ownUnits }) => ownUnits),
        [4n, 6n, 0n, 0n]
      )
      const legs = yield* Effect.forEach(all, ({ bookedBy }) => legsOf(id, bookedBy))
      assert.deepStrictEqual(
        legs.map((those) => those.map(([account, , units]) => `${account} ${units}`)),
        [
          ["chain:ethereum:payouts 4", "chain:ethereum:tenant 4"],
          ["chain:ethereum:payouts 8", "chain:ethereum:tenant 6", "suspense 2"],
          ["chain:ethereum:payouts 5", "suspense 5"],
          ["chain:ethereum:payouts 2", "suspense 2"]
        ]
      )
      const reasons = yield* Effect.forEach(all, ({ bookedBy }) =>
        Effect.map(
          Effect.flatMap(Queries, (queries) => queries.operation(id, bookedBy ?? "")),
          (operation) =>
            /from (an address of the tenant's own|outside)/u.exec(String(operation?.details["reason"]))?.[1]
        )
      )
      assert.deepStrictEqual(reasons, ["an address of the tenant's own", "outside", "outside", "outside"])
      // taken back, it stands where it stood
      yield* submit(reorg(all))
      assert.deepStrictEqual(yield* held(id), { "chain:ethereum:tenant": 10n })
    }).pipe(Effect.provide(store))
  )

  it.effect("stands with deposits where it came to an account that addresses are parts of", () =>
    Effect.gen(function* () {
      const { book, id, submit } = yield* tenant
      yield* submit(
        writing(({ now, tenant: { id: tenantId } }) => [
          putRecord(IssuingAccount, {
            tenantId,
            family: presetNetworks.of("stellar").family,
            seedId: "seed",
            accountKey: "account",
            nextIndex: 0,
            createdAt: now
          })
        ])
      )
      const at = (address: string, transferIndex: number) =>
        found({ network: "stellar", currency: "XLM", address, transferIndex })
      const [shared, own] = yield* book(at("account", 0), at("wallet", 1))
      assert.deepStrictEqual([shared?.place, own?.place], ["ACCOUNT", "WALLET"])
      const legs = yield* Effect.forEach([shared, own], (one) => legsOf(id, one?.bookedBy))
      assert.deepStrictEqual(
        legs.map(([first]) => first?.[0]),
        ["chain:stellar:deposits", "chain:stellar:payouts"]
      )
      const operation = yield* (yield* Queries).operation(id, shared?.bookedBy ?? "")
      assert.deepStrictEqual(operation?.details["place"], "ACCOUNT")
      assert.match(String(operation?.details["reason"]), /account that addresses are parts of/u)
    }).pipe(Effect.provide(store))
  )

  it.effect("is a coin on bitcoin, and on no other network", () =>
    Effect.gen(function* () {
      const { book, id } = yield* tenant
      const bitcoin = found({ network: "bitcoin", currency: "BTC" })
      yield* book(bitcoin, found())
      assert.deepStrictEqual(yield* coin(id, bitcoin), {
        network: "bitcoin",
        txHash: "t",
        vout: 3,
        units: 7n,
        address: "at",
        walletId: "wallet",
        state: "FREE",
        transactionId: null
      })
      assert.isUndefined(yield* coin(id, found()))
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [UtxoState, string | null, UtxoState, UtxoState]>([
    ["FREE", null, "GONE", "FREE"],
    ["RESERVED", "payment", "GONE", "RESERVED"],
    ["SPENT", "payment", "SPENT", "SPENT"]
  ])(
    "makes of a coin that is %s (%s), where its block is lost, %s, and %s where it comes again",
    ([state, transactionId, lost, again]) =>
      Effect.gen(function* () {
        const { book, id, submit } = yield* tenant
        const one = found({ network: "bitcoin", currency: "BTC" })
        const confirmed = yield* book(one)
        const before = yield* coin(id, one)
        yield* submit(writing(() => [putRecord(WalletUtxo, { ...before!, state, transactionId })]))
        yield* submit(reorg(confirmed))
        assert.deepStrictEqual(yield* coin(id, one), { ...before!, state: lost, transactionId })
        yield* book({ ...one, block: b1 })
        assert.deepStrictEqual(yield* coin(id, one), { ...before!, state: again, transactionId })
      }).pipe(Effect.provide(store))
  )

  it.effect("takes back what a lost block brought, once, and leaves what has moved to another", () =>
    Effect.gen(function* () {
      const { book, id, submit } = yield* tenant
      const [confirmed] = yield* book(found())
      assert.deepStrictEqual(yield* submit(reorg([confirmed!], b2)), [])
      const [lost] = yield* submit(reorg([confirmed!, confirmed!]))
      assert.deepStrictEqual(lost, { ...confirmed!, status: "REORGED", bookedBy: null })
      assert.deepStrictEqual(yield* held(id), {})
      assert.deepStrictEqual(yield* submit(reorg([confirmed!])), [])
      assert.deepStrictEqual(yield* submit(confirm([confirmed!])), [])
      const operations = yield* (yield* Queries).operations({ tenantId: id, order: "oldest", limit: 10 })
      assert.deepStrictEqual(
        operations.map(({ amount }) => amount.units),
        [7n, -7n]
      )
      assert.match(String(operations[1]?.details["reason"]), /not on the chain/u)
      assert.deepStrictEqual(yield* legsOf(id, operations[1]?.id), [
        ["chain:ethereum:payouts", "CREDIT", 7n, "adjustment"],
        ["suspense", "DEBIT", 7n, "adjustment"]
      ])
    }).pipe(Effect.provide(store))
  )

  it.effect("of which nothing was booked yet is only marked where its block is lost", () =>
    Effect.gen(function* () {
      const { id, submit } = yield* tenant
      const [noted] = yield* submit(record([found()]))
      const [lost] = yield* submit(reorg([noted!]))
      assert.deepStrictEqual(lost, { ...noted!, status: "REORGED" })
      assert.deepStrictEqual(yield* (yield* Queries).operations({ tenantId: id, order: "oldest", limit: 10 }), [])
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [string, ReadonlyArray<boolean>, number]>([
    ["stellar", [true, false], 1],
    ["stellar", [true], 0],
    ["stellar", [], 0],
    ["ethereum", [false], 0]
  ])("on %s wakes the setting up of accounts, of which %s are ready, %i times", ([network, ready, times]) =>
    Effect.gen(function* () {
      const { book, now, submit } = yield* tenant
      const accounts = ready.map((isReady, index): AccountProvisioning => ({
        network,
        address: `a${index}`,
        role: "PAYOUT",
        ready: isReady,
        transactionId: null,
        failures: 0,
        problem: null,
        since: past,
        checkedAt: past
      }))
      yield* submit(writing(() => accounts.map((one) => putRecord(AccountProvisioning, one))))
      const currency = network === "stellar" ? "XLM" : "ETH"
      yield* book(found({ network, currency }), found({ network, currency, transferIndex: 4 }))
      const due = yield* (yield* JobQueue).due(provisioningQueue(network), now(), 10)
      assert.deepStrictEqual(
        due.map(({ dueAt, key }) => [key, dueAt]),
        Array.from({ length: times }, () => [provisioningItem, now()])
      )
    }).pipe(Effect.provide(store))
  )
})

describe("a memo that cannot be stored", () => {
  const memo = { type: "text", value: "a\u0000b" } as const

  it.effect("is booked as it can be shown", () =>
    Effect.gen(function* () {
      const { book, id } = yield* tenant
      yield* book(found({ memo }))
      const [recorded] = yield* (yield* Queries).records(id, WalletTransfer)
      const [booked] = yield* (yield* Queries).operations({ tenantId: id, order: "newest", limit: 2 })
      for (const kept of [recorded?.memo, booked?.details.wallet_arrival?.memo])
        assert.deepStrictEqual(kept, { type: "text", value: "a\uFFFDb" })
    }).pipe(Effect.provide(store))
  )

  it("that was recorded before is confirmed all the same", () => {
    const { innerHash: _, ...rest } = found({ memo })
    const known: WalletTransfer = {
      ...rest,
      tenantId: TenantId(newIdAt(past)),
      place: "WALLET",
      status: "DETECTED",
      bookedBy: null,
      ownUnits: 0n,
      detectedAt: past
    }
    const command = confirm([known])
    const records = new Map([[WalletTransfer.name, new Map([[walletTransferKey(known), known]])]])
    const { replies, writes } = runBatch(
      [command],
      collectReads([command.reads]),
      loadedWith(firstHead(tenantRecord(past)), { records }),
      { now: past, newId: () => newIdAt(past) }
    )
    assert.isTrue(replies.every(Exit.isSuccess))
    assert.deepStrictEqual(
      recordsIn(writes.records, WalletTransfer).map(({ memo: written, status }) => [status, written?.value]),
      [["CONFIRMED", "a\uFFFDb"]]
    )
  })
})
