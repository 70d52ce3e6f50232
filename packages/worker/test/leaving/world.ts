import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { recordCheck } from "@bursar/core/customer/checkCommands"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { createSwap } from "@bursar/core/swap/createSwap"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { destinationGroup, Destination } from "@bursar/core/destination/Destination"
import { proposeDestination, rejectDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { fundByDeposit } from "@bursar/testkit/fixtures/funding"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant, rewriteKind } from "@bursar/testkit/fixtures/tenants"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"

/** The currency that everything here is in, and how much of it is sent; the fee is as much again. */
export const currency = "USDC_BASE"

/** How much is sent. */
export const units = 1_000_000n

/** What the tests send through providers. */
export const kinds = ["WITHDRAWAL", "SWAP", "OFF_RAMP"] as const

/** What the tests send through providers. */
export type Kind = (typeof kinds)[number]

/** Submits a command. */
export const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenantId, command))

const destine = Effect.fnUntraced(function* (tenantId: TenantId, address: string) {
  const proposal = { currency, network: "base", address, memo: null, label: "t", by: "ann" } as const
  const { id } = yield* submit(tenantId, proposeDestination(proposal))
  yield* submit(tenantId, verifyDestination(id, "bob"))
  return id
})

/** Where the tenant withdraws to. */
export const ours = "0x00000000000000000000000000000000000000aa"

/** A tenant whose float is just what one operation takes, half of it by a deposit that can be reorged away. */
export const tenantFor = Effect.fnUntraced(function* (kind: Kind) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, destinationCoolingHours: 0 } })
  const destination = yield* destine(id, ours)
  const against = kind === "OFF_RAMP" ? "bank" : "custodian"
  yield* submit(id, adjustFloat({ amount: of(units, currency), against, reason: "funded" }))
  const reorg = yield* fundByDeposit(id, of(units, currency))
  yield* submit(
    id,
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: { units: 100n, decimals: 0 },
      minimumFee: { units: 0n, decimals: 0 },
      priority: 1,
      effectiveFrom: null
    })
  )
  const { id: customerId } = yield* newCustomer(id)
  return { id, destination, reorg, customerId }
})

/** A tenant of the tests. */
export type World = Effect.Success<ReturnType<typeof tenantFor>>

const endpoints = { WITHDRAWAL: "POST /v1/withdrawals", SWAP: "POST /v1/swaps", OFF_RAMP: "POST /v1/transfers" }

/** Accepts an operation of a kind, for a customer where the kind knows such. */
export const accept = Effect.fnUntraced(function* ({ customerId, id }: World, kind: Kind) {
  const observedAt = yield* Clock.currentTimeMillis
  const rate: Rate = { price: { units: 1n, decimals: 0 }, source: "test", observedAt }
  const shared = {
    amount: of(units, currency),
    defaultFees: [],
    currencies: defaultCurrencies,
    provider: { name: "fake", environment: "LIVE" } as const,
    partnerReference: null
  }
  const command = {
    WITHDRAWAL: () => createWithdrawal({ ...shared, madeBy: "maker", usd: rate }),
    SWAP: () =>
      createSwap({
        madeBy: "maker",
        ...shared,
        toCurrency: "USDT_ETH",
        customerId,
        quoteId: null,
        pair: { minimum: null, step: null },
        rate
      }),
    OFF_RAMP: () =>
      createTransfer({
        ...shared,
        kind: "OFF_RAMP",
        usd: rate,
        madeBy: "maker",
        toCurrency: "EUR",
        payee,
        rail: null,
        quoteId: null,
        customerId,
        actsFor: "CUSTOMER"
      })
  }[kind]()
  const key = crypto.randomUUID()
  yield* submit(
    id,
    idempotent({
      key,
      endpoint: endpoints[kind],
      fingerprint: "a".repeat(64),
      render: (operation: Operation) => ({ id: operation.id }),
      resourceId: (operation: Operation) => operation.id,
      command
    })
  )
  const queries = yield* Queries
  const idempotencyRecord = yield* queries.idempotencyRecord(id, key)
  return (yield* queries.operation(id, idempotencyRecord?.resourceId ?? "")) ?? assert.fail("it was not accepted")
})

/** Something that comes between accepted and sent, and what takes it away again. */
export interface Trouble {
  readonly what: string
  readonly reason: string
  readonly kinds: ReadonlyArray<Kind>
  readonly begin: (world: World) => Effect.Effect<unknown, unknown, Queries | Writer>
  readonly end: (world: World) => Effect.Effect<unknown, unknown, Queries | Writer>
}

const check = ({ customerId, id }: World, decidedAt: number, status: "APPROVED" | "REJECTED") =>
  submit(id, recordCheck(customerId, applicantOf(customerId), approved(decidedAt, { status })))

const rejectAll = ({ id }: World) =>
  Effect.gen(function* () {
    const all = yield* (yield* Queries).records(id, Destination, destinationGroup)
    for (const one of all) if (one.rejectedAt === null) yield* submit(id, rejectDestination(one.id, "it was stolen"))
  })

const stopPlaces = (reason: string | null) =>
  Effect.forEach(["custodian:fake", "bank:fake"], (place) =>
    submit(fleetTenantId, switchNetwork(place, reason, "otto"))
  )

/** All that can come between. */
export const troubles: ReadonlyArray<Trouble> = [
  {
    what: "the tenant is suspended",
    reason: "tenant_not_active",
    kinds,
    begin: ({ id }) => submit(id, setTenantStatus("SUSPENDED")),
    end: ({ id }) => submit(id, setTenantStatus("ACTIVE"))
  },
  {
    what: "somebody changes the tenant's kind in the database",
    reason: "other_environment",
    kinds,
    begin: ({ id }) => submit(id, rewriteKind("SANDBOX")),
    end: ({ id }) => submit(id, rewriteKind("LIVE"))
  },
  {
    what: "withdrawals are switched off",
    reason: "switched_off",
    kinds: ["WITHDRAWAL"],
    begin: ({ id }) => submit(id, setTenantPolicy({ withdrawalsEnabled: false })),
    end: ({ id }) => submit(id, setTenantPolicy({ withdrawalsEnabled: true }))
  },
  {
    what: "the places of its providers are stopped",
    reason: "switched_off",
    kinds,
    begin: () => stopPlaces("a withdrawal was booked twice"),
    end: () => stopPlaces(null)
  },
  {
    what: "the destination is rejected",
    reason: "destination_not_usable",
    kinds: ["WITHDRAWAL"],
    begin: rejectAll,
    end: ({ id }) => destine(id, ours)
  },
  {
    what: "the destination is replaced",
    reason: "destination_not_usable",
    kinds: ["WITHDRAWAL"],
    begin: ({ id }) => destine(id, "0x00000000000000000000000000000000000000bb"),
    end: ({ id }) => destine(id, ours)
  },
  {
    what: "the customer's check is rejected",
    reason: "customer_not_permitted",
    kinds: ["SWAP", "OFF_RAMP"],
    begin: (world) => check(world, 2, "REJECTED"),
    end: (world) => check(world, 3, "APPROVED")
  },
  {
    what: "the deposit that funded it is reorged away",
    reason: "float_overdrawn",
    kinds,
    begin: ({ reorg }) => reorg,
    end: ({ id }) => submit(id, adjustFloat({ amount: of(units, currency), against: "custodian", reason: "covered" }))
  }
]
