import type { Account } from "@bursar/core/ledger/Account"
import { alarmShortfalls } from "@bursar/core/ledger/alarmShortfalls"
import { coverShortfall, placeReads, shortfallsIn } from "@bursar/core/ledger/coverShortfall"
import type { Balance, Leg, PostedLeg } from "@bursar/core/ledger/Leg"
import { post } from "@bursar/core/ledger/post"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric, References } from "effect"

const context = { operationId: "op-1", postingSeq: 3, postedAt: 5, mayOverdraw: false, happened: true }

const leg = (account: Account, direction: Leg["direction"], units: bigint): Leg => ({
  account,
  direction,
  units,
  currency: "ETH",
  what: "principal"
})

const balances =
  (units: Readonly<Partial<Record<Account, bigint>>>) =>
  (account: Account, currency: string): Balance => ({ account, currency, units: units[account] ?? 0n, version: 1 })

const shown = (legs: ReadonlyArray<Leg>) => legs.map(({ account, direction, units }) => [account, direction, units])

/** Ten leave the bank, which has four. */
const shortBy6 = (): ReadonlyArray<PostedLeg> =>
  post(
    [leg("float:held", "DEBIT", 10n), leg("bank", "CREDIT", 10n)],
    balances({ bank: 4n, "float:held": 10n }),
    context
  )

describe("what is missing at a place", () => {
  it("is read with the place", () => {
    assert.deepStrictEqual(placeReads("bank", "EUR"), [
      { _tag: "Balance", account: "bank", currency: "EUR" },
      { _tag: "Balance", account: "suspense:bank", currency: "EUR" }
    ])
  })

  it("is covered once, however many legs of a posting bring something", () => {
    const arrived = [leg("bank", "DEBIT", 3n), leg("bank", "DEBIT", 3n), leg("bank", "DEBIT", 3n)]
    assert.deepStrictEqual(shown(coverShortfall(arrived, balances({ "suspense:bank": -5n }), true)), [
      ["bank", "DEBIT", 3n],
      ["suspense:bank", "DEBIT", 3n],
      ["bank", "CREDIT", 3n],
      ["bank", "DEBIT", 3n],
      ["suspense:bank", "DEBIT", 2n],
      ["bank", "CREDIT", 2n],
      ["bank", "DEBIT", 3n]
    ])
  })

  it("grows by what each leg of a posting takes and the place no longer has", () => {
    const left = [leg("bank", "CREDIT", 3n), leg("bank", "CREDIT", 3n), leg("bank", "CREDIT", 3n)]
    assert.deepStrictEqual(shown(coverShortfall(left, balances({ bank: 5n }), true)), [
      ["bank", "CREDIT", 3n],
      ["bank", "CREDIT", 2n],
      ["suspense:bank", "CREDIT", 1n],
      ["suspense:bank", "CREDIT", 3n]
    ])
  })

  it("is what a person has to look at, and what covers it is not", () => {
    assert.deepStrictEqual(shown(shortfallsIn(shortBy6())), [["suspense:bank", "CREDIT", 6n]])
    const covered = post(
      [leg("bank", "DEBIT", 10n), leg("float:available", "CREDIT", 10n)],
      balances({ "suspense:bank": -6n }),
      context
    )
    assert.deepStrictEqual(shown(covered), [
      ["bank", "DEBIT", 10n],
      ["suspense:bank", "DEBIT", 6n],
      ["bank", "CREDIT", 6n],
      ["float:available", "CREDIT", 10n]
    ])
    assert.deepStrictEqual(shortfallsIn(covered), [])
  })

  const heard = Effect.fnUntraced(function* (postings: ReadonlyArray<ReadonlyArray<PostedLeg>>) {
    const lines: Array<readonly [unknown, unknown]> = []
    const logger = Logger.make(({ fiber, message }) => {
      lines.push([message, fiber.getRef(References.CurrentLogAnnotations)])
    })
    const count = Effect.map(Metric.snapshot, (all) => {
      const one = all.find(({ attributes, id }) => id === "ledger_shortfalls" && attributes?.["currency"] === "ETH")
      return one?.type === "Counter" ? Number(one.state.count) : 0
    })
    const before = yield* count
    for (const legs of postings)
      yield* alarmShortfalls(TenantId("t"), legs).pipe(Effect.provide(Logger.layer([logger])))
    return { lines, counted: (yield* count) - before }
  })

  it.effect("calls a person, with the tenant, the operation, the place and the amount", () =>
    Effect.gen(function* () {
      const { counted, lines } = yield* heard([shortBy6()])
      assert.strictEqual(counted, 1)
      assert.deepStrictEqual(lines, [
        [
          ["ledger.shortfall"],
          { tenant: "t", operation: "op-1", account: "suspense:bank", currency: "ETH", units: "6", missing: "6" }
        ]
      ])
    })
  )

  it.effect(
    "calls again when it has doubled or was made up for meanwhile, and not for each payment; each is counted",
    () =>
      Effect.gen(function* () {
        const gone = (missing: bigint, units: bigint) =>
          post(
            [leg("float:held", "DEBIT", units), leg("bank", "CREDIT", units)],
            balances({ "suspense:bank": -missing, "float:held": 10_000n }),
            context
          )
        const few = yield* heard(Array.from({ length: 1_000 }, (_, at) => gone(BigInt(at), 1n)))
        assert.strictEqual(few.counted, 1_000)
        // at 1, 2, 4, 8, … 512
        assert.lengthOf(few.lines, 10)
        assert.lengthOf((yield* heard([gone(600n, 1n), gone(600n, 5_000n), gone(5_600n, 1n), gone(0n, 1n)])).lines, 2)
      })
  )
})

describe("a balance below zero", () => {
  it("stays as it is where a posting takes from it what it brings", () => {
    const through = [leg("float:available", "CREDIT", 4n), leg("float:available", "DEBIT", 4n)]
    const posted = post(through, balances({ "float:available": -10n }), context)
    assert.deepStrictEqual(
      posted.map(({ balance }) => balance),
      [-6n, -10n]
    )
  })
})
