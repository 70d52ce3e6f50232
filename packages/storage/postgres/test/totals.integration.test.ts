import type { Change } from "@bursar/core/engine/Change"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import type { Account } from "@bursar/core/ledger/Account"
import { of } from "@bursar/core/money/Amount"
import { Operation, operationStatuses } from "@bursar/core/operation/Operation"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { type CategoryTotal, Queries } from "@bursar/core/store/Queries"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { seeded } from "@bursar/testkit/fixtures/seeded"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

const hourMs = 3_600_000

/** What an adjustment gives to and takes from: the float never gives, so that nothing is overdrawn. */
const givers: ReadonlyArray<Account> = ["suspense", "network_fees"]
const takers: ReadonlyArray<Account> = ["float:available", "suspense", "network_fees"]

/** A batch of new operations, and of some that are there and change: told to the batch, or put over what is there unread. */
const batchOf = (next: (bound: number) => number, tenant: Operation["tenantId"], there: Map<string, Operation>) => {
  const pick = <A>(all: ReadonlyArray<A>): A => {
    const one = all[next(all.length)]
    if (one === undefined) throw new Error("there is none to pick")
    return one
  }
  const changing = (): Partial<Operation> => ({
    status: pick(operationStatuses),
    provider: pick([null, "okx"]),
    amount: of(BigInt(1 + next(9)), pick(["ETH", "BTC"])),
    customerFee: of(BigInt(next(3)), "ETH")
  })
  const made = Array.from({ length: next(6) }, () => {
    const createdAt = past + next(60) * hourMs + next(3) * (hourMs / 2)
    const kind = pick(["ADJUSTMENT", "SWAP", "WITHDRAWAL"] as const)
    const more = { ...changing(), kind, createdAt, actsFor: pick(["TENANT", "CUSTOMER"] as const) }
    return bareOperation({ tenant: { id: tenant } as never, now: createdAt, newId: () => newIdAt(createdAt) }, more)
  })
  const changed = [...there.values()].filter(() => next(3) === 0).map((one) => ({ ...one, ...changing() }))
  const legs = made
    .filter(({ kind }) => kind === "ADJUSTMENT")
    .map(({ id }): Change => {
      const leg = { currency: "ETH", units: 1n, what: "adjustment" } as const
      return {
        _tag: "Posted",
        operationId: id,
        legs: [
          { ...leg, account: pick(takers), direction: "CREDIT" },
          { ...leg, account: pick(givers), direction: "DEBIT" }
        ]
      }
    })
  const puts = [...made, ...changed].map((one) => putRecord(Operation, one))
  const isRead = next(2) === 0
  for (const one of [...made, ...changed]) there.set(one.id, one)
  return writing(
    () => [...puts, ...legs],
    [
      ...(isRead ? changed.map(({ id }) => readRecord(Operation, id)) : []),
      ...takers.map((account) => ({ _tag: "Balance", account, currency: "ETH" }) as const)
    ]
  )
}

const sorted = (totals: ReadonlyArray<CategoryTotal>) =>
  totals
    .map(({ count, currency, feeUnits, kind, status, units }) =>
      [kind, currency, status, count, units, feeUnits].join()
    )
    .toSorted()

const sumOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<CategoryTotal> =>
  [...Map.groupBy(operations, ({ amount, kind, status }) => `${kind} ${amount.currency} ${status}`).values()].flatMap(
    (alike) => {
      const [first] = alike
      return first === undefined
        ? []
        : [
            {
              kind: first.kind,
              currency: first.amount.currency,
              status: first.status,
              count: alike.length,
              units: alike.reduce((sum, { amount }) => sum + amount.units, 0n),
              feeUnits: alike.reduce((sum, { customerFee }) => sum + customerFee.units, 0n)
            }
          ]
    }
  )

describe("the totals of operations", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    for (const [seed, commits, commands] of [
      [1, 12, 1],
      [2, 12, 1],
      [3, 12, 1],
      // hundreds in one commit
      [4, 2, 140]
    ] as const) {
      it.effect(`follow whatever is put, read before or not, over any span: seed ${seed}`, () =>
        Effect.gen(function* () {
          const next = seeded(seed)
          const [queries, snapshots] = [yield* Queries, yield* LedgerSnapshot]
          yield* Storage
          const tenant = yield* newTenant({ createdAt: past })
          const there = new Map<string, Operation>()
          for (let batch = 0; batch < commits; batch++) {
            const all = Array.from({ length: commands }, () => batchOf(next, tenant.id, there))
            yield* commitAt(tenant.id, past + 100 * hourMs + batch, ...all)
            const wrong = yield* snapshots.snapshot(tenant.id, ({ wrongTotal }) => wrongTotal)
            assert.isUndefined(wrong)
          }
          const registered = yield* queries.register(tenant.id, { limit: 1_000 })
          assert.isAbove(there.size, registered.length)
          const adjustments = yield* queries.operations({
            tenantId: tenant.id,
            kinds: ["ADJUSTMENT"],
            order: "oldest",
            limit: 1_000
          })
          const expected = [...there.values()].filter(({ kind }) => kind === "ADJUSTMENT").map(({ id }) => id)
          // those that are the tenant's and those that are not are two rows of totals, and one list
          assert.deepStrictEqual(adjustments.map(({ id }) => id).toSorted(), expected.toSorted())
          const moment = () => past + next(60 * 60) * 60_000
          for (const span of [{}, ...Array.from({ length: 30 }, () => ({ since: moment(), until: moment() }))]) {
            const { since = -Infinity, until = Infinity } = span as { readonly since?: number; readonly until?: number }
            const within = registered.filter(({ createdAt }) => since <= createdAt && createdAt < until)
            assert.deepStrictEqual(sorted(yield* queries.summary(tenant.id, span)), sorted(sumOf(within)))
          }
        })
      )
    }
  })
})
