import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { toIso } from "@bursar/core/base/Timestamp"
import * as WriterLive from "@bursar/core/engine/Writer"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { layer as layerGrants } from "@bursar/core/grant/Grants"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { waitsOf } from "@bursar/core/operation/waits"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { makeNetworks } from "@bursar/core/port/Networks"
import { SigningView } from "@bursar/core/port/SigningView"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { layer as layerPostgres } from "@bursar/postgres"
import { makeGrantWitness, makeKeptGrants, makeTenantsLook, openStore } from "@bursar/signer"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { workCustody } from "@bursar/worker/custody/workCustody"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { appendSigned, submit } from "./support/grantedWorld.ts"
import { tempDir } from "./support/tempDir.ts"
import { until } from "./support/until.ts"
import { migratedDatabase } from "./support/world.ts"

const currency = "USDC_BASE"
const hour = 3_600_000
const ours = `0x${"00".repeat(19)}aa`
const thiefs = `0x${"66".repeat(20)}`

const people = Effect.all([testApprover("ann", 1), testApprover("bob", 2)])

const destination = (address: string, usableFrom: number): GrantValues<"destination"> => ({
  id: crypto.randomUUID(),
  currency,
  network: "base",
  address,
  memo: null,
  label: "Treasury",
  usable_from: toIso(usableFrom),
  state: "ACTIVE"
})

/** A tenant with money, whose withdrawals have long gone to an address of its own. */
const newOwner = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const policy = { ...defaultPolicy, withdrawalLimitUsd: "100" }
  const granted = destination(ours, Date.now() - 47 * hour)
  yield* appendSigned(id, yield* people, { kind: "destination", values: granted, proposedMsAgo: 72 * hour })
  yield* appendSigned(id, yield* people, { kind: "policy", values: policyValues({ kind: "LIVE", policy }) })
  yield* submit(id, adjustFloat({ amount: of(5_000_000n, currency), against: "custodian", reason: "funded" }))
  return id
})

const withdraw = (id: TenantId) =>
  submit(
    id,
    createWithdrawal({
      amount: of(1_000_000n, currency),
      defaultFees: [],
      currencies: defaultCurrencies,
      provider: { name: "fake", environment: "LIVE" },
      partnerReference: null,
      madeBy: "maker",
      usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: Date.now() }
    })
  )

/** The thief has the signatures of enough people, and the database: the document does not say that it is of today. */
const writeBackdated = Effect.fnUntraced(function* (id: TenantId) {
  const values = destination(thiefs, Date.now() - 24 * hour)
  yield* appendSigned(id, yield* people, { kind: "destination", values, proposedMsAgo: 72 * hour })
})

/** A service over a real database, with what a signer has seen. */
const world = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const trust = testTrust(testRoot(yield* people, 2))
  const storage = layerPostgres({ url: Redacted.make(url), applicationName: "bursar-cli-test" })
  const services = yield* Layer.build(
    layerGrants(trust).pipe(Layer.provideMerge(WriterLive.layer), Layer.provideMerge(storage))
  )
  const directory = yield* tempDir
  const signer = Effect.gen(function* () {
    const chains = yield* GrantStore
    const store = yield* openStore({ directory }, yield* SigningView)
    const grants = yield* makeKeptGrants({ trust, chains, store })
    return { look: makeTenantsLook({ chains, grants, store }), witness: makeGrantWitness({ grants, store }) }
  })
  return { services, signer: yield* Effect.provide(signer, services) }
})

describe("a destination that people have signed with an earlier date, and that somebody writes into the database", () => {
  it.live("receives nothing before its waiting time has passed since the signer saw it, and the service goes on", () =>
    Effect.gen(function* () {
      const { services, signer } = yield* world
      yield* Effect.gen(function* () {
        const queries = yield* Queries
        const [robbed, other] = [yield* newOwner, yield* newOwner]
        yield* signer.look
        yield* writeBackdated(robbed)
        const [asked, honest] = [yield* withdraw(robbed), yield* withdraw(other)]
        const custodian = makeFakeCustodian(() => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }))
        yield* Effect.forkScoped(
          workCustody({
            currencies: defaultCurrencies,
            networks: makeNetworks([]),
            custodians: [custodian.provider]
          }).pipe(Effect.provideService(GrantWitness, signer.witness))
        )
        const stands = queries.operation(robbed, asked.id)
        const held = yield* until("it is held", stands, (found) => found !== undefined && waitsOf(found) !== null)
        const waits = held === undefined ? null : waitsOf(held)
        assert.strictEqual(waits?.reason, "destination_not_usable")
        assert.match(waits?.detail ?? "", /counts from when the signer saw its grant/u)
        yield* until(
          "the other one is settled",
          queries.operation(other, honest.id),
          (found) => found?.status === "SETTLED"
        )
        assert.isUndefined(custodian.ordered.get(asked.id))
      }).pipe(Effect.provide(services))
    }).pipe(Effect.scoped)
  )
})
