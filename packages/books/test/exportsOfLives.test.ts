import { isOwed } from "@bursar/core/ledger/Account"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { statementVersion } from "@bursar/core/period/ClosedPeriod"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { done } from "@bursar/core/port/ProviderResult"
import { Journal } from "@bursar/core/store/Journal"
import { Queries } from "@bursar/core/store/Queries"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { onRampState } from "@bursar/core/transfer/transferState"
import { payerAsStored } from "../../testkit/src/fixtures/FakeFiat.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import {
  about,
  baseRequest,
  hear,
  keyed,
  payer,
  refusalOf,
  sender,
  store,
  submit,
  unnamed,
  wrong
} from "../../core/test/transfer/world.ts"
import * as swaps from "../../core/test/swap/world.ts"
import type { Book } from "../src/Book.ts"
import { camt053 } from "../src/Camt053.ts"
import { csv } from "../src/Csv.ts"
import { readCamt053 } from "../src/import/readCamt053.ts"
import { jsonl } from "../src/Jsonl.ts"
import { statementCsv } from "../src/statement/Statement.ts"
import { tenantStatement } from "../src/statement/tenantStatement.ts"

const units = fc.constantFrom(1n, 50n, 99n, 100n, 101n, 5_000n, 9_999n, 10_000n, 10_001n, 20_000n)

const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Move" as const),
      kind: fc.constantFrom("ON_RAMP" as const, "BANK_TRANSFER" as const, "OFF_RAMP" as const),
      units
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Tell" as const),
      which: fc.nat(9),
      status: fc.constantFrom("SETTLED" as const, "SETTLED" as const, "RETURNED" as const, "FAILED" as const),
      units
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Swap" as const), units, ends: fc.constantFrom("no", "good", "bad") })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Adjust" as const), units, takes: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Rule" as const),
      percent: fc.bigInt(0n, 60n),
      minimum: fc.bigInt(0n, 90n)
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Wait" as const), hours: fc.integer({ min: 1, max: 400 }) }) }
)

type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

const live = Effect.fnUntraced(function* (acts: ReadonlyArray<Act>) {
  const id = yield* payer()
  const made: Array<Operation> = []
  for (const one of acts) {
    switch (one._tag) {
      case "Move": {
        const amount = one.kind === "OFF_RAMP" ? of(one.units * 10_000n, "USDC_BASE") : of(one.units, "EUR")
        const asked = baseRequest({ kind: one.kind, amount, ...(one.kind === "ON_RAMP" && { payee: null }) })
        const operation = yield* keyed(id, createTransfer(asked))
        if (typeof operation === "string") break
        yield* submit(id, beginTransfer(operation, { name: "fake", environment: "LIVE" }, payerAsStored(operation)))
        made.push(operation)
        break
      }
      case "Tell": {
        const operation = made[one.which % made.length]
        if (operation === undefined) break
        const { kind } = operation
        const state: TransferState = {
          providerReference: unnamed,
          status: one.status,
          received:
            one.status === "SETTLED" ? (kind === "BANK_TRANSFER" ? operation.amount : of(one.units, "EUR")) : null,
          returned: one.status === "RETURNED" ? of(one.units, kind === "OFF_RAMP" ? "USDC_BASE" : "EUR") : null,
          sender,
          reason: null
        }
        yield* hear(id, operation, about(operation, done(state)))
        break
      }
      case "Swap": {
        const operation = yield* Effect.exit(swaps.sent(id, one.units * 10_000n, false))
        if (operation._tag === "Failure" || one.ends === "no") break
        const said = { providerReference: `s-${operation.value.id}` }
        yield* swaps.says(
          id,
          operation.value,
          done(
            one.ends === "good"
              ? { ...said, _tag: "Settled" as const, received: of(one.units * 9_990n, swaps.bought) }
              : { ...said, _tag: "Failed" as const, reason: "no" }
          )
        )
        break
      }
      case "Adjust":
        yield* refusalOf(
          id,
          adjustFloat({ amount: of(one.takes ? -one.units : one.units, "EUR"), against: "bank", reason: "counted" })
        )
        break
      case "Rule":
        yield* submit(
          id,
          addFeeRule({
            product: null,
            currency: null,
            rail: null,
            percent: { units: one.percent, decimals: 0 },
            minimumFee: { units: one.minimum, decimals: 2 },
            priority: 0,
            effectiveFrom: null
          })
        )
        break
      case "Wait":
        yield* TestClock.adjust(one.hours * 3_600_000)
    }
  }
  assert.deepStrictEqual(yield* wrong(id), [])
  return id
})

/** What the tenant was charged for an operation and has not got back. */
const chargedFor = (operation: Operation): bigint => {
  const { customerFee, kind, settledAt, status } = operation
  if (kind === "ON_RAMP") return settledAt === null ? 0n : onRampState(operation).fee
  if (kind === "SWAP") return status === "FAILED" ? 0n : customerFee.units
  return settledAt === null ? 0n : customerFee.units
}

const cells = (text: string) =>
  text
    .split("\r\n")
    .slice(0, -1)
    .map((row) => row.split(","))

const unitsOf = (text: string) => BigInt(text === "" ? "0" : text.replace(".", ""))

const check = Effect.fnUntraced(function* (id: Effect.Success<ReturnType<typeof live>>, cuts: ReadonlyArray<number>) {
  const journal = yield* Journal
  const last = yield* journal.lastPosting(id)
  const ends = [...new Set([0, ...cuts.map((cut) => cut % (last + 1)), last])].toSorted((one, other) => one - other)
  const fees = new Map<string, bigint>()
  const moved = new Map<string, bigint>()
  const byCsv = new Map<string, bigint>()
  const byJsonl = new Map<string, bigint>()
  let byCamt = 0n
  const add = (sums: Map<string, bigint>, key: string, more: bigint) => sums.set(key, (sums.get(key) ?? 0n) + more)
  for (const [at, through] of ends.entries()) {
    const after = ends[at - 1]
    if (after === undefined) continue
    const book: Book = {
      tenant: { id, slug: "acme", name: "Acme" },
      currencies: defaultCurrencies,
      range: { after, through },
      from: (yield* journal.firstAfter(id, after)) ?? 0,
      to: (yield* journal.firstAfter(id, through - 1)) ?? 0,
      opening: yield* journal.balancesAt(id, after),
      closing: yield* journal.balancesAt(id, through)
    }
    const entries = (from: number, filter = {}) => journal.entries(id, { after: from, through }, filter)
    const statement = tenantStatement(book, { period: "2026-10", statementVersion }, entries)
    const [head = [], ...rows] = cells(yield* Stream.mkString(statementCsv(statement)))
    const column = (row: ReadonlyArray<string>, name: string) => row[head.indexOf(name)] ?? ""
    for (const row of rows) {
      const key = `${column(row, "account")}|${column(row, "currency")}`
      if (row[0] === "fees")
        add(fees, `${column(row, "kind")}|${column(row, "currency")}`, unitsOf(column(row, "balance")))
      if (row[0] === "line") add(moved, key, unitsOf(column(row, "credit")) - unitsOf(column(row, "debit")))
    }
    const [names = [], ...lines] = cells(yield* Stream.mkString(csv.write(book, entries)))
    for (const row of lines) {
      const cell = (name: string) => row[names.indexOf(name)] ?? ""
      if (cell("line") !== "")
        add(byCsv, `${cell("account")}|${cell("currency")}`, unitsOf(cell("debit")) - unitsOf(cell("credit")))
    }
    for (const text of (yield* Stream.mkString(jsonl.write(book, entries))).split("\n").slice(0, -1)) {
      const { legs = [] } = JSON.parse(text) as { legs?: ReadonlyArray<Record<string, string>> }
      for (const { account, amount = "", currency, direction } of legs)
        add(byJsonl, `${account}|${currency}`, direction === "DEBIT" ? unitsOf(amount) : -unitsOf(amount))
    }
    const [read] = readCamt053(
      yield* Stream.mkString(camt053.write({ ...book, to: book.to + 1 }, entries)),
      defaultCurrencies
    )
    byCamt += (read?.lines ?? []).reduce((sum, one) => sum + one.units, 0n)
  }
  const closing = yield* journal.balancesAt(id, last)
  const nonzero = (sums: Map<string, bigint>) => new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted())
  assert.deepStrictEqual(
    nonzero(moved),
    nonzero(
      new Map(
        closing.filter(({ account }) => isOwed(account)).map((one) => [`${one.account}|${one.currency}`, one.units])
      )
    )
  )
  const debits = new Map(
    closing.map(({ account, currency, units: held }) => [
      `${account}|${currency}`,
      isOwed(account) || account === "fees" ? -held : held
    ])
  )
  assert.deepStrictEqual(nonzero(byCsv), nonzero(debits))
  assert.deepStrictEqual(nonzero(byJsonl), nonzero(debits))
  const eur = (account: string) => closing.find((one) => one.account === account && one.currency === "EUR")?.units ?? 0n
  assert.strictEqual(byCamt, eur("float:available") + eur("float:held"))
  const charged = new Map<string, bigint>()
  const queries = yield* Queries
  for (const one of yield* queries.operations({ tenantId: id, order: "oldest", limit: 500 }))
    add(charged, `${one.kind}|${one.customerFee.currency}`, chargedFor(one))
  assert.deepStrictEqual(nonzero(fees), nonzero(charged))
})

describe("what is exported of real lives, in whichever periods", () => {
  it("comes to what the ledger has, and fees to what operations were charged", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 3, maxLength: 25 }),
        fc.array(fc.nat(60), { maxLength: 4 }),
        (acts, cuts) =>
          Effect.runPromise(
            Effect.flatMap(live(acts), (id) => check(id, cuts)).pipe(
              Effect.provide(store),
              Effect.provide(TestClock.layer()),
              Effect.scoped
            )
          )
      ),
      { numRuns: 20 }
    ))
})
