import * as Writer from "@bursar/core/engine/Writer"
import { putRecord } from "@bursar/core/engine/Records"
import type { Storage } from "@bursar/core/engine/Storage"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { Leg } from "@bursar/core/ledger/Leg"
import { Operation } from "@bursar/core/operation/Operation"
import type { Tenants } from "@bursar/core/port/Tenants"
import { type StatementBooks, Statements } from "@bursar/core/reconciliation/statement/Statements"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { writing } from "../fixtures/commands.ts"
import { alikeTexts, bareOperation } from "../fixtures/records.ts"
import { commitAt, newTenant } from "../fixtures/tenants.ts"
import { type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

/** The books of a provider that no other test uses. */
const newBooks = (more: Partial<StatementBooks> = {}): StatementBooks => {
  const provider = `p-${crypto.randomUUID()}`
  return {
    place: `custodian:${provider}`,
    account: "custodian",
    environment: "LIVE",
    provider,
    withAdjustments: false,
    ...more
  }
}

const own = (units: bigint, currency = "EUR"): Leg => ({
  account: "custodian",
  currency,
  direction: units < 0n ? "CREDIT" : "DEBIT",
  units: units < 0n ? -units : units,
  what: "adjustment"
})

const other = ({ direction, ...leg }: Leg): Leg => ({
  ...leg,
  account: "suspense",
  direction: direction === "DEBIT" ? "CREDIT" : "DEBIT"
})

const accounts = ["custodian", "suspense:custodian", "suspense"] as const

/** Books an operation at the provider at a moment; what it lacks there goes to its suspense. */
const book = Effect.fnUntraced(function* (
  tenantId: TenantId,
  at: number,
  amounts: ReadonlyArray<Leg>,
  more: Partial<Operation>
) {
  const id = crypto.randomUUID()
  const reads = amounts.flatMap(({ currency }) =>
    accounts.map((account) => ({ _tag: "Balance", account, currency }) as const)
  )
  yield* commitAt(
    tenantId,
    at,
    writing(
      (view) => [
        putRecord(Operation, {
          ...bareOperation(view, { kind: "WITHDRAWAL", status: "SETTLED", settledAt: at, ...more }),
          id
        }),
        ...(amounts.length === 0
          ? []
          : [
              {
                _tag: "Posted",
                operationId: id,
                happened: true,
                legs: amounts.flatMap((leg) => [leg, other(leg)])
              } as const
            ])
      ],
      reads
    )
  )
  return { operationId: id, tenantId }
})

/** Books more of an operation at a moment. */
const bookAgain = (
  { operationId, tenantId }: { readonly operationId: string; readonly tenantId: TenantId },
  at: number,
  amounts: ReadonlyArray<Leg>
) =>
  commitAt(
    tenantId,
    at,
    writing(
      () => [
        { _tag: "Posted", operationId, happened: true, legs: amounts.flatMap((leg) => [leg, other(leg)]) } as const
      ],
      accounts.map((account) => ({ _tag: "Balance", account, currency: "EUR" }) as const)
    )
  )

const statementOf = (place: string, more: Partial<Statement>): Statement => ({
  place,
  id: "s",
  currencies: null,
  from: 0,
  to: 1,
  parts: 1,
  digest: "d",
  received: [0],
  checkedTo: 0,
  by: "alice",
  at: 0,
  ...more
})

/**
 * Keeps lines of the place, at no time of the fleet's: other suites set its clock. They come with `s`, which is whole, as `other` is; of `half`
 * a part is missing.
 */
const tell = ({ place }: StatementBooks, ...lines: ReadonlyArray<Partial<StatementLine>>) =>
  commitAt(
    fleetTenantId,
    0,
    writing(() => [
      ...[{}, { id: "other" }, { id: "half", parts: 2 }].map((more) => putRecord(Statement, statementOf(place, more))),
      ...lines.map((more) =>
        putRecord(StatementLine, {
          place,
          statement: "s",
          alsoIn: [],
          id: crypto.randomUUID(),
          at: 0,
          currency: "EUR",
          units: 1n,
          references: [],
          text: "",
          about: null,
          ...more
        })
      )
    ])
  )

const euro = new Map([["EUR", 1n]])

/** The tests of the suite. */
export const statementsTests = (it: SuiteIt<Statements | Storage | Tenants | Writer.Writer>): void => {
  it.effect("finds the operations of a provider that texts name, and none of others", () =>
    Effect.gen(function* () {
      const { named } = yield* Statements
      const books = newBooks()
      const { provider } = books
      const [live, sandbox] = [yield* newTenant(), yield* newTenant({ kind: "SANDBOX" })]
      const at = live.createdAt
      const one = yield* book(live.id, at, [], { provider, providerReference: "ref-1" })
      const two = yield* book(live.id, at, [], { provider, providerReference: "twice" })
      yield* book(live.id, at, [], { provider, providerReference: "twice" })
      yield* book(live.id, at, [], { provider: "another", providerReference: "ref-2" })
      const alike = yield* Effect.forEach(alikeTexts("ref-"), (name) =>
        Effect.map(book(live.id, at, [], { provider, providerReference: name }), (one) => [name, one] as const)
      )
      for (const [name, booked] of alike) assert.deepStrictEqual(yield* named(books, [name]), new Map([[name, booked]]))
      assert.strictEqual((yield* named(books, ["REF-1", "ref-1 ", "rEF-a"])).size, 0)
      const foreign = yield* book(sandbox.id, at, [], { provider, providerReference: "ref-3" })
      const adjustment = yield* book(live.id, at, [], { kind: "ADJUSTMENT" })
      const names = [
        "ref-1",
        two.operationId,
        "twice",
        "ref-2",
        "ref-3",
        foreign.operationId,
        adjustment.operationId,
        "",
        "'"
      ]
      assert.deepStrictEqual(
        yield* named(books, names),
        new Map([
          ["ref-1", one],
          [two.operationId, two]
        ])
      )
      const current = yield* named({ ...books, withAdjustments: true }, [adjustment.operationId, "ref-1"])
      assert.deepStrictEqual(current, new Map([["ref-1", one]]))
      assert.strictEqual((yield* named(books, [])).size, 0)
    })
  )

  it.effect("pages through what was booked, ended or told of in a period", () =>
    Effect.gen(function* () {
      const { touched } = yield* Statements
      const books = newBooks()
      const { provider } = books
      const { id } = yield* newTenant()
      const start = (yield* Clock.currentTimeMillis) + 60_000
      const ordered = { provider }
      yield* book(id, start - 1, [own(5n)], ordered)
      const posted = yield* book(id, start, [own(5n)], { ...ordered, settledAt: null })
      const failed = yield* book(id, start + 1, [], { ...ordered, status: "FAILED" })
      const told = yield* book(id, start + 2, [], { ...ordered, status: "PROCESSING", settledAt: null })
      yield* tell(books, { at: start + 3, about: told }, { at: start + 3 }, { at: start + 10, about: failed })
      const adjustment = yield* book(id, start + 4, [own(5n)], { kind: "ADJUSTMENT" })
      yield* book(id, start + 5, [own(5n)], { provider: "another" })
      yield* book(id, start + 10, [own(5n)], ordered)
      const period = { from: start, to: start + 10 }
      const inOrder = (...all: ReadonlyArray<typeof posted>) =>
        all.toSorted((left, right) => (left.operationId < right.operationId ? -1 : 1))
      const expected = inOrder(posted, failed, told)
      assert.deepStrictEqual(yield* touched(books, period, { after: null, limit: 10 }), expected)
      const first = yield* touched(books, period, { after: null, limit: 2 })
      const rest = yield* touched(books, period, { after: first.at(-1)?.operationId ?? null, limit: 2 })
      assert.deepStrictEqual([...first, ...rest], expected)
      const current = yield* touched({ ...books, withAdjustments: true }, period, { after: null, limit: 1_000 })
      assert.includeDeepMembers([...current], [adjustment, ...expected])
    })
  )

  it.effect("tells what the books and the lines say of operations, over the currencies of one holding", () =>
    Effect.gen(function* () {
      const { compared } = yield* Statements
      const books = newBooks()
      const { provider } = books
      const { id } = yield* newTenant()
      const start = (yield* Clock.currentTimeMillis) + 60_000
      // there is nothing to pay from: what is missing stands beside the account, and counts
      const paid = yield* book(id, start, [own(-40n), own(-2n, "USDT_ETH"), own(9n, "BTC")], { provider })
      const open = yield* book(id, start + 1, [], { provider, status: "PROCESSING", settledAt: null })
      yield* tell(
        books,
        { about: paid, units: -30n },
        { about: paid, units: -3n, currency: "USDT_ETH" },
        { about: paid, units: 7n, currency: "BTC" },
        { about: open, units: -1n },
        { about: open, units: -500n, statement: "half" },
        { about: open, units: -600n, statement: "half", alsoIn: ["nothing", "half"] },
        { about: open, units: -10n, statement: "half", alsoIn: ["nothing", "other"] },
        { about: open, units: 4n }
      )
      yield* tell(newBooks(), { about: paid, units: -1_000n })
      const factors = new Map([
        ["EUR", 1n],
        ["USDT_ETH", 100n]
      ])
      const common = {
        isOver: true,
        createdAt: start,
        booked: -240n,
        bookedIn: 0n,
        bookedAt: start,
        correctedSince: 0n,
        shown: -330n,
        shownIn: 0n
      }
      const both = [
        { ...paid, ...common, bookedSince: -240n },
        {
          ...open,
          createdAt: start + 1,
          isOver: false,
          booked: 0n,
          bookedSince: 0n,
          bookedIn: 0n,
          bookedAt: null,
          correctedSince: 0n,
          shown: -7n,
          shownIn: 4n
        }
      ].toSorted((left, right) => (left.operationId < right.operationId ? -1 : 1))
      assert.deepStrictEqual(yield* compared(books, [paid, open], factors, start), both)
      const [later] = yield* compared(books, [paid], factors, start + 1)
      assert.deepStrictEqual(later, { ...paid, ...common, bookedSince: 0n })
      assert.deepStrictEqual(yield* compared(books, [], factors, start), [])
      // what has come back is a booking of its own
      yield* bookAgain(paid, start + 5, [own(30n), own(-1n)])
      const [returned] = yield* compared(books, [paid], factors, start + 5)
      assert.deepInclude(returned, { booked: -211n, bookedIn: 29n, bookedSince: 29n, bookedAt: start + 5 })
    })
  )

  it.effect("takes an operation and the adjustments that correct it for one, where adjustments count", () =>
    Effect.gen(function* () {
      const { compared, touched } = yield* Statements
      const books = newBooks({ withAdjustments: true })
      const { id } = yield* newTenant()
      const { id: other } = yield* newTenant()
      const start = (yield* Clock.currentTimeMillis) + 60_000
      const never = yield* book(id, start, [own(-40n)], { provider: books.provider })
      const correcting = (corrects: string) => ({ kind: "ADJUSTMENT", details: { corrects } }) as const
      const back = yield* book(id, start + 10, [own(30n)], correcting(never.operationId))
      const taken = yield* book(id, start + 20, [own(-5n)], correcting(never.operationId))
      // what is another tenant's corrects nothing
      const stranger = yield* book(other, start + 20, [own(9n)], correcting(never.operationId))
      yield* tell(books, { at: start + 12, about: back, units: 30n })
      const period = { from: start + 10, to: start + 30 }
      const found = yield* touched(books, period, { after: null, limit: 500 })
      const mine = found.filter(({ tenantId }) => tenantId === id || tenantId === other)
      const inOrder = [never, stranger].toSorted((left, right) => (left.operationId < right.operationId ? -1 : 1))
      assert.deepStrictEqual(mine, inOrder)
      const factors = new Map([["EUR", 1n]])
      const whole = yield* compared(books, [back, never, taken], factors, start + 20)
      assert.strictEqual(whole.length, 1)
      assert.deepInclude(whole[0], { ...never, booked: -15n, bookedSince: -5n, bookedIn: 30n, bookedAt: start + 20 })
      assert.deepInclude(whole[0], { correctedSince: -5n, shown: 30n, shownIn: 30n })
      assert.deepInclude((yield* compared(books, [stranger], factors, start))[0], { ...stranger, booked: 9n })
      const elsewhere = yield* compared({ ...books, withAdjustments: false }, [back], factors, start)
      assert.deepInclude(elsewhere[0], { ...never, booked: -40n, correctedSince: 0n, shown: 0n })
      // of what another has carried out nothing is booked here
      const another = yield* compared({ ...books, provider: "another" }, [back], factors, start)
      assert.deepInclude(another[0], { ...never, booked: 25n, correctedSince: 25n })
    })
  )

  it.effect("finds what was booked of just an amount and has no line, the nearest in time first", () =>
    Effect.gen(function* () {
      const { unshown } = yield* Statements
      const books = newBooks()
      const ordered = { provider: books.provider }
      const { id } = yield* newTenant()
      const start = (yield* Clock.currentTimeMillis) + 60_000
      const [early, late] = [
        yield* book(id, start, [own(-40n)], ordered),
        yield* book(id, start + 1_000, [own(-37n), own(-3n)], ordered)
      ]
      yield* book(id, start + 2_000, [own(40n)], ordered)
      yield* book(id, start + 2_000, [own(-41n)], ordered)
      const shown = yield* book(id, start + 2_000, [own(-40n)], ordered)
      yield* tell(books, { about: shown, units: -1n }, { about: late, units: -1n, statement: "half" })
      const near = (around: number, more: { readonly withinMs?: number; readonly limit?: number } = {}) =>
        Effect.map(
          unshown(
            books,
            { units: -40n, factors: euro },
            { around: start + around, withinMs: 9_000, limit: 5, ...more }
          ),
          (all) => all.map(({ at, operationId }) => [at - start, operationId])
        )
      const [first, second] = [
        [0, early.operationId],
        [1_000, late.operationId]
      ]
      assert.deepStrictEqual(yield* near(400), [first, second])
      assert.deepStrictEqual(yield* near(600), [second, first])
      assert.deepStrictEqual(yield* near(600, { limit: 1 }), [second])
      assert.deepStrictEqual(yield* near(-5_000, { withinMs: 5_500 }), [first])
      assert.deepStrictEqual(yield* near(90_000), [])
      // what has come back of the one that has a line has none
      yield* bookAgain(shown, start + 3_000, [own(70n)])
      yield* bookAgain(late, start + 3_000, [own(69n)])
      const back = { around: start, withinMs: 9_000, limit: 5 }
      assert.deepStrictEqual(yield* unshown(books, { units: 70n, factors: euro }, back), [
        { ...shown, at: start + 3_000 }
      ])
      assert.deepStrictEqual(yield* near(600), [second, first], "and it takes nothing from what had left")
    })
  )
}

/** What every Statements must tell of the bookings at a provider. Tests use providers of their own: the store may be shared. */
export const statementsSuite = (
  name: string,
  layer: Layer.Layer<Statements | Storage | Tenants, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(
    `${name}: Statements`,
    statementsTests
  )
}
