import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Command } from "@bursar/core/engine/Command"
import * as WriterLive from "@bursar/core/engine/Writer"
import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { layer as layerGrants } from "@bursar/core/grant/Grants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { reviewValues } from "@bursar/core/grant/reviewByGrants"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { waitsOf } from "@bursar/core/operation/waits"
import { makeNetworks } from "@bursar/core/port/Networks"
import { Prices } from "@bursar/core/port/Prices"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap } from "@bursar/core/swap/createSwap"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { layer as layerPostgres } from "@bursar/postgres"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { workCustody } from "@bursar/worker/custody/workCustody"
import { workFiat } from "@bursar/worker/fiat/workFiat"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import { appendSigned, submit } from "./support/grantedWorld.ts"
import { until } from "./support/until.ts"
import { migratedDatabase, sqlOn } from "./support/world.ts"

const people = Effect.all([testApprover("ann", 1), testApprover("bob", 2), testApprover("cleo", 3)])

/** What a unit of everything is worth, in tenths of a dollar. */
const worth = { tenths: 10n }

const price = Effect.map(Clock.currentTimeMillis, (observedAt) => ({
  price: { units: worth.tenths, decimals: 1 },
  source: "test",
  observedAt
}))

/** A service over a real database, whose providers carry out every order at once. */
const open = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const trust = testTrust(testRoot(yield* people, 2))
  const storage = layerPostgres({ url: Redacted.make(url), applicationName: "bursar-cli-test" })
  const prices = Layer.succeed(Prices, Prices.of({ usd: () => price, rate: () => Effect.succeed(null) }))
  const services = layerGrants(trust).pipe(Layer.provideMerge(WriterLive.layer), Layer.provideMerge(storage))
  return { sql: yield* sqlOn(url), services: yield* Layer.build(Layer.merge(services, prices)) }
})

class World extends Context.Service<World, Effect.Success<typeof open>>()("test/World") {}

const approve = <K extends GrantKind>(id: TenantId, kind: K, values: GrantValues<K>) =>
  Effect.flatMap(people, (all) =>
    appendSigned(id, all.slice(0, 2), { kind, values, ...(kind === "review" && { proposedMsAgo: 0 }) })
  )

/** A tenant of whose payments people look at those of a dollar and more, with money. */
const openTenant = Effect.gen(function* () {
  const { id } = yield* newTenant({ kind: "LIVE" })
  const policy = { ...defaultPolicy, destinationCoolingHours: 0, withdrawalReviewUsd: "1", payoutReviewUsd: "1" }
  yield* approve(id, "policy", policyValues({ kind: "LIVE", policy }))
  yield* approve(id, "destination", {
    id: crypto.randomUUID(),
    currency: "USDC_BASE",
    network: "base",
    address: `0x${"00".repeat(19)}aa`,
    memo: null,
    label: "Treasury",
    usable_from: toIso((yield* Clock.currentTimeMillis) - 60_000),
    state: "ACTIVE"
  })
  yield* submit(id, adjustFloat({ amount: of(9_000_000n, "USDC_BASE"), against: "custodian", reason: "funded" }))
  yield* submit(id, adjustFloat({ amount: of(9_00n, "EUR"), against: "bank", reason: "funded" }))
  return id
})

const shared = {
  defaultFees: [],
  currencies: defaultCurrencies,
  provider: { name: "fake", environment: "LIVE" },
  partnerReference: null,
  madeBy: "sk_live_AAAAAAAA"
} as const

/** What a partner asks for: two dollars each time. */
const asked = {
  withdrawal: Effect.map(price, (usd) => createWithdrawal({ ...shared, amount: of(2_000_000n, "USDC_BASE"), usd })),
  transfer: Effect.map(price, (usd) =>
    createTransfer({
      ...shared,
      kind: "BANK_TRANSFER",
      amount: of(2_00n, "EUR"),
      toCurrency: "EUR",
      payee,
      rail: null,
      quoteId: null,
      customerId: null,
      actsFor: "TENANT",
      usd
    })
  ),
  swap: Effect.map(price, (rate) =>
    createSwap({
      ...shared,
      amount: of(2_000_000n, "USDC_BASE"),
      toCurrency: "USDT_ETH",
      customerId: null,
      quoteId: null,
      pair: { minimum: null, step: null },
      rate
    })
  )
} satisfies Record<string, Effect.Effect<Command<Operation>>>

/** Whoever writes to the database, and what the worker makes of it. */
const openStory = Effect.gen(function* () {
  const { sql } = yield* World
  const queries = yield* Queries
  const id = yield* openTenant
  const custodian = makeFakeCustodian(() => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }))
  const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["SETTLED"] }))
  const stored = (operation: string) =>
    Effect.map(queries.operation(id, operation), (found) => found ?? assert.fail("it is gone"))
  const ask = (kind: keyof typeof asked) => Effect.flatMap(asked[kind], (command) => submit(id, command))

  /** Changes a row. */
  const write = Effect.fnUntraced(function* (operation: string, details: Readonly<Record<string, unknown>>) {
    const before = yield* stored(operation)
    const after = JSON.stringify({ ...before.details, ...details })
    yield* sql`update operation set details = ${after}::text::json where operation_id = ${operation}`
  })

  /** Writes that an operation was approved, and that it is worth a cent, and has it sent. */
  const release = Effect.fnUntraced(function* (operation: string) {
    const { kind } = yield* stored(operation)
    yield* write(operation, { review: { state: "APPROVED", by: "grant:7", at: 4_000_000_000_000 }, usd_cents: "1" })
    yield* sql`update operation set status = 'ACCEPTED' where operation_id = ${operation}`
    yield* sql`insert into job (tenant_id, queue, key, due_at)
      values (${id}, ${kind === "BANK_TRANSFER" ? "transfer" : "custodian"}, ${operation}, now()) on conflict do nothing`
  })

  const work = Effect.all(
    [
      workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [custodian.provider] }),
      workFiat({ currencies: defaultCurrencies, fiats: [fiat.provider], identities: [] })
    ],
    { concurrency: 2, discard: true }
  )
  const times = (operation: string) => (custodian.ordered.get(operation) ?? 0) + (fiat.ordered.get(operation) ?? 0)

  /** The worker finds an operation that was released, and holds it. */
  const isHeld = Effect.fnUntraced(function* (operation: string, reason: string) {
    const held = yield* until("it is held", stored(operation), (one) => waitsOf(one)?.reason === reason)
    assert.strictEqual(times(operation), 0)
    return held
  })

  const isPaid = Effect.fnUntraced(function* (operation: string) {
    yield* until("it is settled", stored(operation), ({ status }) => status === "SETTLED")
    assert.strictEqual(times(operation), 1)
  })

  const review = Effect.fnUntraced(function* (operation: string) {
    yield* approve(id, "review", reviewValues(yield* stored(operation)))
    assert.strictEqual((yield* stored(operation)).status, "ACCEPTED")
  })
  return { ask, id, isHeld, isPaid, release, review, sql, stored, times, work, write }
})

type Story = Effect.Success<typeof openStory>

layer(Layer.effect(World, open), { excludeTestServices: true })("an operation that people have to look at", (it) => {
  const story = (
    what: string,
    run: (
      world: Story
    ) => Effect.Effect<void, unknown, Effect.Services<typeof openStory> | Effect.Services<Story["work"]> | Scope.Scope>
  ) =>
    it.effect(what, () =>
      Effect.flatMap(World, ({ services }) =>
        Effect.gen(function* () {
          worth.tenths = 10n
          const world = yield* openStory
          yield* run(world)
        }).pipe(Effect.provide(services), Effect.scoped)
      )
    )

  describe("is held whatever somebody writes", () => {
    const written =
      (kind: "transfer" | "withdrawal") =>
      ({ ask, isHeld, release, stored, work }: Story) =>
        Effect.gen(function* () {
          const { id, status } = yield* ask(kind)
          assert.strictEqual(status, "IN_REVIEW")
          yield* release(id)
          yield* Effect.forkScoped(work)
          yield* isHeld(id, "review_not_granted")
          assert.strictEqual((yield* stored(id)).status, "IN_REVIEW")
          // again and again, with the process that has seen it
          yield* release(id)
          yield* until("it is held again", stored(id), (now) => now.status === "IN_REVIEW")
        })

    story("that a withdrawal was approved, and is worth a cent", written("withdrawal"))

    story("that a transfer was approved, and is worth a cent", written("transfer"))

    story("that the approval of another is its own, or is copied to an id of its own", (world) =>
      Effect.gen(function* () {
        const { ask, id, isHeld, isPaid, release, review, sql, work } = world
        const [honest, other] = [yield* ask("withdrawal"), yield* ask("withdrawal")]
        yield* review(honest.id)
        yield* release(other.id)
        const copy = crypto.randomUUID()
        yield* sql`insert into operation select (jsonb_populate_record(operation, jsonb_build_object('operation_id', ${copy}::uuid, 'change_seq', 1000000))).*
          from operation where operation_id = ${honest.id}`
        yield* sql`insert into job (tenant_id, queue, key, due_at) values (${id}, 'custodian', ${copy}, now())`
        yield* Effect.forkScoped(work)
        yield* isPaid(honest.id)
        yield* isHeld(other.id, "review_not_granted")
        yield* isHeld(copy, "review_not_granted")
      })
    )

    story("of its amount or its receiver once it was approved", (world) =>
      Effect.gen(function* () {
        const { ask, isHeld, review, sql, stored, work, write } = world
        const [withdrawal, transfer] = [yield* ask("withdrawal"), yield* ask("transfer")]
        yield* review(withdrawal.id)
        yield* review(transfer.id)
        yield* sql`update operation set units = units * 2 where operation_id = ${withdrawal.id}`
        const { payee: theirs } = (yield* stored(transfer.id)).details
        yield* write(transfer.id, { payee: { ...theirs, iban: "DE89370400440532013000" } })
        yield* Effect.forkScoped(work)
        yield* isHeld(withdrawal.id, "review_not_granted")
        yield* isHeld(transfer.id, "review_not_granted")
      })
    )

    story("while its price has fallen: that of its acceptance counts, and that of now where a row says less", (world) =>
      Effect.gen(function* () {
        const { ask, isHeld, isPaid, release, sql, work, write } = world
        const [fell, small] = [yield* ask("withdrawal"), yield* ask("withdrawal")]
        worth.tenths = 4n
        yield* release(fell.id)
        yield* write(fell.id, { usd_cents: "200" })
        // what is worth less than people look at leaves without them
        yield* release(small.id)
        yield* sql`update operation set units = 1000000 where operation_id = ${small.id}`
        yield* Effect.forkScoped(work)
        yield* isHeld(fell.id, "review_not_granted")
        yield* isPaid(small.id)
      })
    )

    story("of a swap whose signing key was revoked, until people answer for it", (world) =>
      Effect.gen(function* () {
        const { ask, id: tenantId, isHeld, isPaid, release, review, stored, work, write } = world
        const key = { api_key_id: "AAAAAAAA", keyid: "k".repeat(43), public_key: "p".repeat(43) }
        yield* approve(tenantId, "signing_key", { ...key, state: "ACTIVE" })
        const { id } = yield* ask("swap")
        yield* write(id, { signature: { keyid: key.keyid, signature_base: "base", signature: "sig", body: "body" } })
        yield* approve(tenantId, "signing_key", { ...key, state: "REVOKED" })
        yield* Effect.forkScoped(work)
        yield* isHeld(id, "signing_key_revoked")
        yield* release(id)
        yield* until("it is held again", stored(id), ({ status }) => status === "IN_REVIEW")
        yield* isHeld(id, "signing_key_revoked")
        yield* review(id)
        yield* isPaid(id)
      })
    )

    // the last one: approvers are of the whole service
    story("once one of those who approved it was removed", ({ ask, id, isHeld, review, work }) =>
      Effect.gen(function* () {
        const [ann, bob, cleo] = yield* people
        const { id: operation } = yield* ask("withdrawal")
        yield* review(operation)
        const { approvers, ...quorums } = testRoot([ann, cleo], 2)
        yield* appendSigned(id, [ann, cleo], { kind: "approvers", values: { approvers, ...quorums }, proposedMsAgo: 0 })
        assert.isDefined(bob)
        yield* Effect.forkScoped(work)
        const held = yield* isHeld(operation, "not_granted")
        assert.match(waitsOf(held)?.detail ?? "", /an adoption must be approved/u)
      })
    )
  })
})
