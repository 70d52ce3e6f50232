import { Customer } from "@bursar/core/customer/Customer"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { putRecord } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { bareAddress, bareDeposit, bareTransaction, difficultText, newIdAt } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"

const customerAt = (createdAt: number, externalId: string): Customer => ({
  id: newIdAt(createdAt),
  externalId,
  isBusiness: false,
  displayName: difficultText,
  country: null,
  verification: null,
  registration: null,
  createdAt
})

const sweepAt = (createdAt: number, addressId: string, more: Partial<Sweep> = {}): Sweep => ({
  id: newIdAt(createdAt),
  network: "base",
  addressId,
  address: "0xA1",
  account: "0xA1",
  key: { _tag: "Imported" },
  currency: "ETH_BASE",
  contract: null,
  units: 1n,
  state: "ELIGIBLE",
  topUpTransactionId: null,
  sweepTransactionId: null,
  deposits: [],
  problem: null,
  createdAt,
  endedAt: null,
  closedAt: null,
  ...more
})

const walletOf = (index: number): PayoutWallet => ({
  id: newIdAt(past),
  network: index === 0 ? "base" : "bsc",
  role: "PAYOUT",
  address: `0xW${index}`,
  seedId: newIdAt(past),
  custodied: null,
  index: 0,
  nextSequence: null,
  nextSalt: 1,
  openTransactions: 0,
  committed: [],
  createdAt: past
})

const idsOf = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)

/** What operators page through of one tenant, and nothing of another. */
export const operatorListTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "customers and sweeps come newest first, page by page, those of one moment by id, and by what is asked",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        const customers = [past, past + 1, past + 1].map((at, index) => customerAt(at, `user-${index}`))
        const [addressId, elsewhere] = [newIdAt(past), newIdAt(past)]
        const swept = { state: "SWEPT", endedAt: past + 3, closedAt: past + 4 } as const
        const sweeps = [
          sweepAt(past, addressId, swept),
          sweepAt(past + 1, addressId, { ...swept, closedAt: past + 5 }),
          sweepAt(past + 1, addressId),
          sweepAt(past + 2, elsewhere)
        ]
        yield* commitAt(
          one.id,
          past,
          writing(() => [
            ...customers.map((record) => putRecord(Customer, record)),
            ...sweeps.map((record) => putRecord(Sweep, record))
          ])
        )
        yield* commitAt(
          other.id,
          past,
          writing(() => [
            putRecord(Customer, customerAt(past + 9, "user-0")),
            putRecord(Sweep, sweepAt(past + 9, addressId))
          ])
        )
        const newest = <A extends { readonly createdAt: number; readonly id: string }>(all: ReadonlyArray<A>) =>
          all.toSorted((left, right) => right.createdAt - left.createdAt || (right.id < left.id ? -1 : 1))

        const byAge = newest(customers)
        assert.deepStrictEqual(yield* queries.customers(one.id, { limit: 10 }), byAge)
        const first = yield* queries.customers(one.id, { limit: 2 })
        assert.deepStrictEqual(first, byAge.slice(0, 2))
        assert.deepStrictEqual(yield* queries.customers(one.id, { after: first[1], limit: 2 }), byAge.slice(2))
        assert.deepStrictEqual(
          yield* queries.customers(one.id, { externalId: "user-0", limit: 9 }),
          customers.slice(0, 1)
        )
        assert.deepStrictEqual(yield* queries.customers(one.id, { externalId: "USER-0", limit: 9 }), [])

        const sweepsByAge = newest(sweeps)
        assert.deepStrictEqual(yield* queries.sweeps(one.id, { limit: 10 }), sweepsByAge)
        const [latest] = sweepsByAge
        assert.deepStrictEqual(yield* queries.sweeps(one.id, { after: latest, limit: 2 }), sweepsByAge.slice(1, 3))
        const openOnes = yield* queries.sweeps(one.id, { open: true, limit: 10 })
        assert.deepStrictEqual(idsOf(openOnes), idsOf(sweepsByAge.filter(({ closedAt }) => closedAt === null)))
        const closed = yield* queries.sweeps(one.id, { open: false, addressId, limit: 10 })
        assert.deepStrictEqual(idsOf(closed), idsOf(sweepsByAge.filter(({ closedAt }) => closedAt !== null)))
        assert.deepStrictEqual(yield* queries.sweeps(one.id, { addressId: "no id", limit: 10 }), [])
      }),
    timeoutMs
  )

  it.effect(
    "what a wallet pays for and is not over comes oldest first; what is over, of another wallet or tenant, does not",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const [one, other] = [yield* newTenant(), yield* newTenant()]
        const [wallet, second] = [walletOf(0), walletOf(1)]
        const at = (now: number, more: Partial<OutboundTransaction>) =>
          bareTransaction({ now, newId: () => newIdAt(now) }, { network: "base", walletId: wallet.id, ...more })
        const open = [at(past + 2, {}), at(past + 1, {})]
        const over = at(past, { phase: "FINAL", outcome: "released", endedAt: past + 1 })
        yield* commitAt(
          one.id,
          past,
          writing(() => [
            putRecord(PayoutWallet, wallet),
            putRecord(PayoutWallet, second),
            ...[...open, over, at(past, { walletId: second.id }), at(past, { walletId: null })].map((transaction) =>
              putRecord(OutboundTransaction, transaction)
            )
          ])
        )
        const found = yield* queries.openTransactions(one.id, wallet.id, 10)
        assert.deepStrictEqual(idsOf(found), idsOf(open.toReversed()))
        assert.lengthOf(yield* queries.openTransactions(one.id, wallet.id, 1), 1)
        assert.deepStrictEqual(yield* queries.openTransactions(other.id, wallet.id, 10), [])
        assert.deepStrictEqual(yield* queries.openTransactions(one.id, "no id", 10), [])
      }),
    timeoutMs
  )

  it.effect(
    "deposits that left the chain come the latest first, one that came back among them",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        const tenant = yield* newTenant()
        const address = bareAddress({ tenant, now: past, newId: () => newIdAt(past) })
        const made: Array<Deposit> = []
        yield* commitAt(
          tenant.id,
          past,
          writing((view) => {
            made.length = 0
            made.push(
              bareDeposit(view, address),
              bareDeposit(view, address, { status: "REORGED", reorgedAt: past + 1, block: null }),
              bareDeposit(view, address, { reorgedAt: past + 2 })
            )
            return [putRecord(DepositAddress, address), ...made.map((deposit) => putRecord(Deposit, deposit))]
          })
        )
        const found = yield* queries.reorgedDeposits(tenant.id, 10)
        assert.deepStrictEqual(idsOf(found), idsOf(made.slice(1).toReversed()))
        assert.lengthOf(yield* queries.reorgedDeposits(tenant.id, 1), 1)
        assert.deepStrictEqual(yield* queries.reorgedDeposits((yield* newTenant()).id, 10), [])
      }),
    timeoutMs
  )
}
