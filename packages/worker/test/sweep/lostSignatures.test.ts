import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import type { Payment } from "@bursar/core/port/ChainSender"
import { type EarlierSignature, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { orderOf } from "../../src/transactions/orderOf.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver, submit, tick } from "../transactions/world.ts"
import { arrive, booked, confirmed, custody, ledgerAgrees, sweeping, sweepsOf } from "./world.ts"

const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

/** Sweeps with a signer that has signed something else, too, before the database was restored; it tells of that from a moment on. */
const sweepingWith = (fake: FakeSender, before: EarlierSignature, isRestored = () => true) =>
  Effect.gen(function* () {
    const signer = yield* TransactionSigner
    const signed: typeof signer.signed = (asked) =>
      Effect.map(signer.signed(asked), (all) => (isRestored() ? [before, ...all] : all))
    yield* Effect.forkScoped(sweeping(fake).pipe(Effect.provideService(TransactionSigner, { ...signer, signed })))
  })

const transactionsOf = (id: TenantId) => Effect.flatMap(Queries, (queries) => queries.records(id, OutboundTransaction))

/** What a sweep of an address is signed as before the database is restored: it moves so much under the first number. */
const earlier = Effect.fnUntraced(function* (fake: FakeSender, from: string, payment: Pick<Payment, "to" | "units">) {
  const { bytes, feeMax, payments } = yield* fake.sender.build({
    from,
    guard: { _tag: "Sequence", account: from, sequence: 0n },
    payments: [{ ...payment, contract, memo: null }],
    drain: false,
    replacing: null,
    salt: 77,
    validUntil: yield* Clock.currentTimeMillis
  })
  const hash = createHash("sha256").update(bytes).digest("hex")
  return { hash, raw: bytes, validUntil: null, feeMax, moves: { payments }, shares: "same" } as const
})

/** Has what was signed first signed once more with a higher fee, of which nothing is stored. */
const bumped = Effect.fnUntraced(function* (fake: FakeSender, tenantId: TenantId) {
  const [transaction] = yield* transactionsOf(tenantId)
  const [attempt] = yield* (yield* Queries).records(tenantId, TransactionAttempt)
  if (transaction === undefined || attempt === undefined) return assert.fail("nothing was signed")
  const order = orderOf(fake.sender, transaction, yield* Clock.currentTimeMillis, attempt.raw)
  const { bytes: unsigned } = yield* fake.sender.build(order)
  const asked = { tenantId, network: "ethereum", unsigned, signers: [], own: [], requests: [] }
  return (yield* (yield* TransactionSigner).sign(asked)).raw
})

describe("a sweep that only the signer remembers", () => {
  /** An address on which something has arrived and been swept, of which a restored database knows no more than what arrived. */
  const swept = Effect.fnUntraced(function* (
    fake: FakeSender,
    later: ReadonlyArray<bigint>,
    sent: "bumped" | "earlier" = "earlier"
  ) {
    yield* TestClock.setTime(1_700_000_000_000)
    const custodied = yield* custody("ethereum", fake, 1)
    const { addresses, id, wallet } = custodied
    const [first] = addresses
    if (first === undefined) return yield* Effect.die(new Error("there is no address"))
    fake.fund(first.address, null, 1_000_000n)
    const gas = { amount: of(1_000_000n, "ETH"), against: "chain:ethereum:deposits", reason: "gas" } as const
    yield* submit(id, adjustFloat(gas))
    yield* confirmed(id, yield* arrive(id, fake, first, "USDT_ETH", 10_000n))
    const before = yield* earlier(fake, first.address, { to: wallet.address, units: 10_000n })
    for (const units of later) yield* confirmed(id, yield* arrive(id, fake, first, "USDT_ETH", units))
    fake.answers(Array.from({ length: 5 }, () => "drops" as const))
    yield* sweepingWith(fake, before)
    for (let n = 0; n < 3; n++) yield* tick
    fake.answers([])
    yield* fake.sender.broadcast(sent === "earlier" ? before.raw : yield* bumped(fake, id))
    return { ...custodied, before }
  })

  it.effect("and that moved what is to be swept is taken over, and booked", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, before, id } = yield* swept(fake, [])
      const isSwept = Effect.map(sweepsOf(id), (all) => all.every(({ state }) => state === "SWEPT"))
      yield* mineUntil(fake, "it is swept", isSwept)
      assert.include((yield* transactionsOf(id))[0]?.hashes ?? [], before.hash)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "and that moved less is not taken for it: the rest is swept, and nothing is booked that it did not move",
    () => {
      const fake = fakeNetwork({ network: "ethereum", charges: true })
      return Effect.gen(function* () {
        const { id, wallet } = yield* swept(fake, [7_000n])
        const isOver = Effect.map(
          sweepsOf(id),
          (all) => all.length === 2 && all.every(({ closedAt }) => closedAt !== null)
        )
        yield* mineUntil(fake, "the rest is swept", isOver)
        assert.strictEqual(fake.holds(wallet.address, contract), 17_000n)
        assert.deepStrictEqual((yield* transactionsOf(id)).map(({ outcome }) => outcome).toSorted(), [
          "done",
          "replaced"
        ])
        // what it moved is the difference between the books and the chain that people are shown
        assert.strictEqual((yield* booked(id, "chain:ethereum:deposits")).get("USDT_ETH"), 10_000n)
        assert.strictEqual((yield* booked(id, "chain:ethereum:payouts")).get("USDT_ETH"), 7_000n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("and that moved less hides none of the new one that got lost, too", () => {
    const fake = fakeNetwork({ network: "ethereum", charges: true })
    return Effect.gen(function* () {
      const { addresses, id } = yield* swept(fake, [7_000n], "bumped")
      const isSwept = Effect.map(sweepsOf(id), (all) => all.every(({ state }) => state === "SWEPT"))
      yield* mineUntil(fake, "it is swept", isSwept)
      assert.lengthOf((yield* transactionsOf(id))[0]?.hashes ?? [], 2)
      yield* ledgerAgrees("ethereum", fake, id, addresses)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("waits for no evidence, which nobody could give: the outputs that it left are free", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { addresses, id } = yield* custody("bitcoin", fake, 3)
      const deposits = yield* Effect.forEach(addresses, (address) =>
        Effect.flatMap(arrive(id, fake, address, "BTC", 50_000n), (deposit) => confirmed(id, deposit))
      )
      let isRestored = false
      const before = {
        hash: "rival-0",
        raw: new Uint8Array(),
        validUntil: null,
        feeMax: null,
        shares: "guard"
      } as const
      yield* sweepingWith(fake, before, () => isRestored)
      for (let n = 0; n < 6; n++) yield* tick
      isRestored = true
      const [{ address, txHash } = assert.fail("nothing has arrived")] = deposits
      const utxos = [{ txHash, vout: 0, units: 50_000n, address }]
      fake.rival({ _tag: "Utxos", utxos }, yield* Clock.currentTimeMillis)
      const isOver = Effect.map(transactionsOf(id), ([first]) => first?.phase === "FINAL")
      yield* mineUntil(fake, "the sweep is over", isOver)
      const [first] = yield* transactionsOf(id)
      assert.deepInclude(first, { outcome: "replaced", problem: null })
      assert.lengthOf(first?.freed ?? [], 2)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
