import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { toIso } from "@bursar/core/base/Timestamp"
import * as WriterLive from "@bursar/core/engine/Writer"
import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import { layer as layerGrants } from "@bursar/core/grant/Grants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { underGrants } from "@bursar/core/grant/leavingByGrants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import type { Environment } from "@bursar/core/base/Environment"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { waitsOf } from "@bursar/core/operation/waits"
import { makeNetworks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { layer as layerPostgres } from "@bursar/postgres"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { workCustody } from "@bursar/worker/custody/workCustody"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { appendSigned, submit } from "./support/grantedWorld.ts"
import { until } from "./support/until.ts"
import { migratedDatabase, sqlOn } from "./support/world.ts"

const currency = "USDC_BASE"
const network = "base"
const ours = `0x${"00".repeat(19)}aa`
const thiefs = `0x${"66".repeat(20)}`

const people = Effect.all([testApprover("ann", 1), testApprover("bob", 2)])

/** Appends a grant that both approvers have signed. */
const grant = <K extends GrantKind>(id: TenantId, kind: K, values: GrantValues<K>) =>
  Effect.flatMap(people, (all) => appendSigned(id, all, { kind, values }))

const withdrawal = Effect.gen(function* () {
  const observedAt = yield* Clock.currentTimeMillis
  return createWithdrawal({
    amount: of(1_000_000n, currency),
    defaultFees: [],
    currencies: defaultCurrencies,
    provider: { name: "fake", environment: "LIVE" },
    partnerReference: null,
    madeBy: "maker",
    usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt }
  })
})

/** A tenant to which policy and destination are granted, with money to withdraw. */
const grantedTenant = Effect.fnUntraced(function* (kind: Environment = "LIVE") {
  const { id } = yield* newTenant({ kind })
  const policy = { ...defaultPolicy, destinationCoolingHours: 0, withdrawalLimitUsd: "100" }
  yield* grant(id, "policy", policyValues({ kind, policy }))
  yield* grant(id, "destination", {
    id: crypto.randomUUID(),
    currency,
    network,
    address: ours,
    memo: null,
    label: "Treasury",
    usable_from: toIso((yield* Clock.currentTimeMillis) - 60_000),
    state: "ACTIVE"
  })
  yield* submit(id, adjustFloat({ amount: of(5_000_000n, currency), against: "custodian", reason: "funded" }))
  return id
})

/** A service over a real database, whose custodian settles every order at once. */
const world = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const trust = testTrust(testRoot(yield* people, 2))
  const storage = layerPostgres({ url: Redacted.make(url), applicationName: "bursar-cli-test" })
  const services = layerGrants(trust).pipe(Layer.provideMerge(WriterLive.layer), Layer.provideMerge(storage))
  return { sql: yield* sqlOn(url), services: yield* Layer.build(services) }
})

interface Attack {
  readonly what: string
  readonly says: RegExp
  /** The environment that was granted to the tenant; LIVE where absent. */
  readonly granted?: Environment
  /** What is granted once the withdrawal was accepted. */
  readonly stop?:
    | { readonly kind: "suspension"; readonly values: GrantValues<"suspension"> }
    | { readonly kind: "network"; readonly values: GrantValues<"network"> }
  readonly statements: (
    sql: Effect.Success<ReturnType<typeof sqlOn>>,
    id: TenantId
  ) => ReadonlyArray<Effect.Effect<unknown, unknown>>
}

const attacks: ReadonlyArray<Attack> = [
  {
    what: "redirects a verified destination, and the operation with it",
    says: /^it goes to 0x66/u,
    statements: (sql, id) => [
      sql`update destination set address = ${thiefs} where tenant_id = ${id}`,
      sql`update operation set details = replace(details::text, ${ours}, ${thiefs})::json where tenant_id = ${id}`
    ]
  },
  {
    what: "un-suspends a tenant",
    says: /suspended by a grant/u,
    stop: { kind: "suspension", values: { suspended: true, reason: "Asked for." } },
    statements: (sql, id) => [sql`update tenant set status = 'ACTIVE' where tenant_id = ${id}`]
  },
  {
    what: "lifts a limit",
    says: /allow more than was granted/u,
    statements: (sql, id) => [
      sql`update tenant set policy = replace(policy::text, '"100"', '"1000000"')::json where tenant_id = ${id}`
    ]
  },
  {
    what: "makes a tenant of a sandbox a live one",
    says: /LIVE in its row, and SANDBOX by its grants/u,
    granted: "SANDBOX",
    statements: () => []
  },
  {
    what: "resumes a network",
    says: /^base is stopped by a grant/u,
    stop: { kind: "network", values: { network, stopped: true, reason: "A reorg." } },
    statements: (sql) => [sql`update network_switch set payouts_off = false, reason = null where network = ${network}`]
  }
]

describe("one UPDATE that", () => {
  for (const { granted, says, statements, stop, what } of attacks) {
    it.live(`${what} sends nothing: the operation is held, and the service goes on`, () =>
      Effect.gen(function* () {
        const { services, sql } = yield* world
        yield* Effect.gen(function* () {
          const queries = yield* Queries
          const id = yield* grantedTenant(granted)
          // nothing of a sandbox is accepted for a live custodian
          if (granted === "SANDBOX") yield* sql`update tenant set kind = 'LIVE' where tenant_id = ${id}`
          const { id: operationId } = yield* submit(id, yield* withdrawal)
          const stored = Effect.map(queries.operation(id, operationId), (found) => found ?? assert.fail("it is gone"))
          if (stop !== undefined) yield* grant(id, stop.kind, stop.values)
          for (const statement of statements(sql, id)) yield* statement
          const custodian = makeFakeCustodian(() => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }))
          yield* Effect.forkScoped(
            workCustody({ currencies: defaultCurrencies, networks: makeNetworks([]), custodians: [custodian.provider] })
          )
          const held = yield* until("it is held", stored, (operation) => waitsOf(operation) !== null)
          assert.strictEqual(waitsOf(held)?.reason, "not_granted")
          assert.match(waitsOf(held)?.detail ?? "", says)
          // what stops a network stops it for all: the other one is then accepted by nobody either
          const other = yield* grantedTenant()
          const asked = underGrants(yield* rulingOf(other), yield* withdrawal)
          if (what === "resumes a network") {
            assert.strictEqual((yield* Effect.flip(submit(other, asked)))._tag, "Refusal")
          } else {
            const { id: goesOn } = yield* submit(other, asked)
            const stands = queries.operation(other, goesOn)
            yield* until("the other one is settled", stands, (found) => found?.status === "SETTLED")
          }
          // nor is a new one accepted
          const again = yield* Effect.flip(submit(id, underGrants(yield* rulingOf(id), yield* withdrawal)))
          assert.strictEqual(again._tag === "Refusal" ? again.code : again._tag, "not_granted")
          assert.isUndefined(custodian.ordered.get(operationId))
          assert.strictEqual((yield* stored).status, "ACCEPTED")
        }).pipe(Effect.provide(services))
      }).pipe(Effect.scoped)
    )
  }
})
