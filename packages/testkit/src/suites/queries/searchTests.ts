import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { putRecord } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import type { SearchHit } from "@bursar/core/store/SearchHit"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareAddress, bareOperation, bareTransaction, difficultText, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"

/** What a hit is, to compare it by. */
const told = (hit: SearchHit): readonly [string, string] =>
  hit.by === "address" ? [hit.by, hit.address.id] : [hit.by, hit.operation.id]

/** Texts that no other test has. */
const textsOf = () => {
  const mark = crypto.randomUUID().replaceAll("-", "")
  return {
    transaction: `0x${mark}${mark}`,
    replaced: `0x${mark.split("").toReversed().join("")}${mark}`,
    provider: `order ${mark}`,
    partner: `${difficultText} ${mark}`,
    key: `key ${mark}`,
    address: `T${mark}`
  }
}

/** Operations of two tenants, each found by another of its texts. */
const setUp = Effect.gen(function* () {
  const texts = textsOf()
  const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
  const make = (tenant: typeof one, index: number, more: Partial<Operation>) => {
    const now = past + index
    return bareOperation({ tenant, now, newId: () => newIdAt(now) }, more)
  }
  const paid = make(one, 1, { kind: "CHAIN_PAYOUT", network: "base", txHash: texts.transaction })
  const ordered = make(other, 2, {
    kind: "WITHDRAWAL",
    providerReference: texts.provider,
    partnerReference: texts.partner
  })
  const named = make(one, 3, { kind: "WITHDRAWAL", partnerReference: texts.partner })
  const address = bareAddress({ tenant: other, now: past, newId: () => newIdAt(past) }, { address: texts.address })
  const transaction = bareTransaction({ now: past, newId: () => newIdAt(past) }, { network: "base" })
  const attempt: TransactionAttempt = {
    network: "base",
    hash: texts.replaced,
    transactionId: transaction.id,
    raw: Uint8Array.of(1),
    validUntil: null,
    replaces: null,
    pays: [paid.id],
    feeMax: 1n,
    signedAt: past,
    sentAt: null
  }
  const used: IdempotencyRecord = {
    key: texts.key,
    endpoint: "POST /v1/withdrawals",
    fingerprint: "f",
    outcome: { _tag: "Done", body: {} },
    resourceId: named.id,
    recordedAt: past
  }
  yield* commitAt(
    one.id,
    past + 10,
    writing(() => [
      putRecord(Operation, paid),
      putRecord(Operation, named),
      putRecord(OutboundTransaction, transaction),
      putRecord(TransactionAttempt, attempt),
      putRecord(IdempotencyRecord, used)
    ])
  )
  yield* commitAt(
    other.id,
    past + 10,
    writing(() => [putRecord(Operation, ordered), putRecord(DepositAddress, address)])
  )
  const queries = yield* Queries
  const search = (...wanted: ReadonlyArray<string>) => Effect.map(queries.search(wanted, 10), (hits) => hits.map(told))
  return { address, named, ordered, paid, queries, search, texts }
})

/** What operators look for, over all tenants. */
export const searchTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "anything is found by its whole id, hash, reference, key or address, of whichever tenant",
    () =>
      Effect.gen(function* () {
        const { address, named, ordered, paid, search, texts } = yield* setUp
        assert.deepStrictEqual(yield* search(paid.id), [["id", paid.id]])
        assert.deepStrictEqual(yield* search(texts.transaction), [["transaction", paid.id]])
        assert.deepStrictEqual(yield* search(texts.replaced), [["transaction", paid.id]])
        assert.deepStrictEqual(yield* search(texts.provider), [["provider_reference", ordered.id]])
        assert.deepStrictEqual(yield* search(texts.key), [["idempotency_key", named.id]])
        assert.deepStrictEqual(yield* search(texts.address), [["address", address.id]])
        assert.deepStrictEqual(yield* search(texts.partner), [
          ["partner_reference", named.id],
          ["partner_reference", ordered.id]
        ])
      }),
    timeoutMs
  )

  it.effect(
    "addresses are found newest first, of whichever tenant, at most as many as asked for",
    () =>
      Effect.gen(function* () {
        const { address: text } = textsOf()
        const queries = yield* Queries
        const made: Array<DepositAddress> = []
        for (const [index, network] of ["base", "bsc", "ethereum"].entries()) {
          const tenant = yield* newTenant({ createdAt: past })
          const now = past + ((index * 2) % 3) // the second is the newest
          const address = bareAddress({ tenant, now, newId: () => newIdAt(now) }, { address: text, network })
          yield* commitAt(
            tenant.id,
            past + 10,
            writing(() => [putRecord(DepositAddress, address)])
          )
          made.push(address)
        }
        const newestFirst = made.toSorted((one, other) => other.createdAt - one.createdAt).map(({ id }) => id)
        const found = (limit: number) => Effect.map(queries.search([text], limit), (hits) => hits.map(told))
        assert.deepStrictEqual(
          yield* found(10),
          newestFirst.map((id) => ["address", id] as const)
        )
        assert.deepStrictEqual(
          yield* found(1),
          newestFirst.slice(0, 1).map((id) => ["address", id] as const)
        )
      }),
    timeoutMs
  )

  it.effect(
    "operations are found by their amount, newest first, at most as many as asked for",
    () =>
      Effect.gen(function* () {
        const { queries } = yield* setUp
        const tenant = yield* newTenant({ createdAt: past })
        const amount = of(BigInt(`0x${crypto.randomUUID().replaceAll("-", "")}`), "ETH")
        const made = [1, 2, 3].map((index) => {
          const now = past + index
          return bareOperation({ tenant, now, newId: () => newIdAt(now) }, { amount, createdAt: now })
        })
        yield* commitAt(
          tenant.id,
          past + 10,
          writing(() => made.map((one) => putRecord(Operation, one)))
        )
        const found = yield* queries.search([], 2, [amount, of(amount.units, "BTC")])
        const newest = made.toReversed().slice(0, 2)
        assert.deepStrictEqual(
          found.map(told),
          newest.map(({ id }) => ["amount", id] as const)
        )
      }),
    timeoutMs
  )

  it.effect(
    "an operation that has several of the texts is found once, and a part of a text finds nothing",
    () =>
      Effect.gen(function* () {
        const { named, ordered, paid, queries, search, texts } = yield* setUp
        assert.deepStrictEqual(yield* search(texts.provider, texts.partner, ordered.id), [
          ["partner_reference", named.id],
          ["id", ordered.id]
        ])
        assert.deepStrictEqual(yield* search(texts.transaction.slice(0, -1), paid.id.slice(0, -1), "%", ""), [])
        assert.deepStrictEqual(yield* search(), [])
        assert.lengthOf(yield* queries.search([texts.partner], 1), 1)
      }),
    timeoutMs
  )
}
