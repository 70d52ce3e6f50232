import { checkAll } from "@bursar/core/checker/checkAll"
import type { CleanRange } from "@bursar/core/checker/checkSubjects"
import { type CheckSettings, checkTenant } from "@bursar/core/checker/checkTenant"
import { invariants } from "@bursar/core/checker/invariants"
import { LedgerSnapshot, type TenantLedger } from "@bursar/core/checker/LedgerSnapshot"
import { type Filed, subjectsOf, type SubjectKind, type SubjectRows } from "@bursar/core/checker/subjects"
import { StorageError } from "@bursar/core/engine/StorageError"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

const coin = (txHash: string, transactionId: string | null = null): WalletUtxo =>
  ({ network: "bitcoin", txHash, vout: 0, state: "FREE", transactionId }) as WalletUtxo // all of it that is looked at

const filedAs = <K extends SubjectKind>(kind: K, row: SubjectRows[K], digest = 1n): ReadonlyArray<Filed> =>
  subjectsOf[kind](row).map((subject) => ({ kind, subject, row, beside: false, digest }) as Filed) // of one kind

const free = (...names: ReadonlyArray<string>) => names.flatMap((name) => filedAs("utxo", coin(name)))

/** A transaction is filed under what it pays and uses as well. */
const transaction = filedAs("transaction", {
  ...{ id: "t", network: "base", purpose: "CHANNEL", phase: "FINAL", outcome: "released", hashes: [], payments: [] },
  ...{
    guard: { _tag: "Sequence", account: "0xw", sequence: 1n },
    cancelled: [],
    freed: [],
    fee: null,
    givenUpAfter: null
  }
} as unknown as SubjectRows["transaction"]) // all of it that is looked at

/** Books that hold what is filed, and nothing else, and what was read of them. */
const books = (filed: ReadonlyArray<Filed>, rows: number, more: Partial<TenantLedger> = {}) => {
  const read: Array<string> = []
  const within = (from: string, to: string | null) =>
    filed.filter(({ subject }) => subject >= from && (to === null || subject < to))
  const ledger: TenantLedger = {
    head: { tenant: tenantRecord(0), changeSeq: 0, eventId: 0, postingSeq: 0, lastAt: 0 },
    balances: [],
    ...{ legs: Stream.empty, operations: Stream.empty, deposits: Stream.empty, events: Stream.empty },
    ...{ idempotencyRecords: Stream.empty, jobs: Stream.empty },
    ...{ wrongTotal: Effect.undefined, unreadable: Effect.succeed([]) },
    filed: ({ from, to }, { readRows }) => {
      const some = within(from, to).toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
      read.push(...some.map(({ subject }) => subject))
      return [Stream.rechunk(Stream.fromIterable(some), readRows)]
    },
    // how many there are of each kind is asked in sum
    counts: Effect.succeed({ utxo: rows } as Readonly<Record<SubjectKind, number>>),
    digests: (between) =>
      Effect.succeed(
        between.map((from, at) => {
          const some = within(from, between[at + 1] ?? null)
          return { filed: some.length, digest: some.reduce((sum, { digest }) => sum + (digest ?? 0n), 0n) }
        })
      ),
    records: () => Stream.empty,
    ...more
  }
  return { ledger, read }
}

/** What is wrong, by rule. */
const wrongIn = (ledger: TenantLedger, settings: CheckSettings = {}) =>
  Effect.map(checkTenant(ledger, settings), (results) =>
    Object.fromEntries(
      results.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [[invariant, firstWrong]]))
    )
  )

describe("the books of a tenant", () => {
  it.effect("are held against every rule, by its name", () =>
    Effect.gen(function* () {
      const results = yield* checkTenant(books([...free("a", "b"), ...transaction], 3).ledger)
      const named = invariants.map(({ name }) => name)
      assert.deepStrictEqual(
        results.map(({ invariant }) => invariant),
        ["rows", "totals", ...named]
      )
      for (const { firstWrong, invariant, rule } of results) {
        assert.isNull(firstWrong, invariant)
        assert.isNotEmpty(rule)
      }
    })
  )

  it.effect("are wrong by the rule that finds it alone, which names the first", () =>
    Effect.gen(function* () {
      const taken = ["b", "c"].flatMap((name) => filedAs("utxo", coin(name, "x")))
      for (const readRows of [1, 100]) {
        const found = yield* wrongIn(books([...free("a"), ...taken], 3).ledger, { readRows })
        assert.deepStrictEqual(Object.keys(found), ["transactions"])
        assert.match(found["transactions"] ?? "", /\bb\b/u)
      }
    })
  )

  it.effect("are wrong where a row makes no sense, which stops no other rule", () =>
    Effect.gen(function* () {
      const leg = { operationId: "o", account: null } as unknown as SubjectRows["leg"] // as nobody may write it
      const { ledger } = books(filedAs("utxo", coin("b", "x")), 1, { legs: Stream.make(leg) })
      const found = yield* wrongIn(ledger)
      assert.include(Object.values(found).join(), "makes no sense")
      assert.property(found, "transactions")
    })
  )

  it.effect("are wrong where what is kept in sum is, or a row cannot be read", () =>
    Effect.gen(function* () {
      const { ledger } = books(free("a"), 1, { wrongTotal: Effect.succeed("the total of EUR is off") })
      assert.deepStrictEqual(yield* wrongIn(ledger), { totals: "the total of EUR is off" })
      const unreadable = Effect.succeed([
        { row: "operation o", problem: "no amount" },
        { row: "operation p", problem: "no kind" }
      ])
      const found = yield* wrongIn(books(free("a"), 3, { unreadable }).ledger)
      assert.deepStrictEqual(found, { rows: "operation o cannot be read: no amount" })
    })
  )

  it.effect("are read whole: each row is met under its own subject and every other that it names", () =>
    Effect.gen(function* () {
      const found = (filed: ReadonlyArray<Filed>, rows: number) =>
        Effect.map(wrongIn(books(filed, rows).ledger), ({ rows: wrong }) => wrong)
      assert.strictEqual(yield* found(free("a"), 2), "of 2 rows 1 were met under what they belong to")
      assert.strictEqual(yield* found(free("a", "b"), 1), "of 1 rows 2 were met under what they belong to")
      assert.strictEqual(
        yield* found(
          transaction.filter(({ subject }) => subject === "t"),
          1
        ),
        "rows name subjects 1 times under which they were not met"
      )
      assert.strictEqual(
        yield* found(
          transaction.filter(({ subject }) => subject !== "t"),
          0
        ),
        "rows name subjects -1 times under which they were not met"
      )
      const strange = free("a").map((one) => ({ ...one, subject: "elsewhere" }))
      assert.match(String(yield* found(strange, 1)), /kind utxo was found under elsewhere, where it does not belong/u)
      const beside = strange.map((one) => ({ ...one, beside: true }))
      assert.isUndefined(yield* found([...free("a"), ...beside], 1), "what names it may look at it")
    })
  )

  it.effect("tell how many rows were read", () =>
    Effect.gen(function* () {
      let told = 0
      const progress = (rows: number) => Effect.sync(() => void (told += rows))
      yield* checkTenant(books(free("a", "b", "c"), 3).ledger, { progress, readRows: 2 })
      assert.strictEqual(told, 3)
    })
  )
})

describe("a check that was broken off", () => {
  const kept = Effect.fnUntraced(function* (
    filed: ReadonlyArray<Filed>,
    rows: number,
    clean: ReadonlyArray<CleanRange>
  ) {
    const ranges: Array<CleanRange> = []
    const { ledger, read } = books(filed, rows)
    let told = 0
    const wrong = yield* wrongIn(ledger, {
      readRows: 1,
      progress: (some) => Effect.sync(() => void (told += some)),
      place: { seed: 7, clean, keep: (range) => Effect.sync(() => void ranges.push(range)) }
    })
    return { ranges, read, told, wrong }
  })

  it.effect("goes on where it was, and looks again at what was changed since", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 40 }, (_, at) => `c${at + 10}`)
      const all = free(...names)
      const first = yield* kept(all, 40, [])
      assert.deepStrictEqual(first.wrong, {})
      assert.strictEqual(first.ranges[0]?.from, "")
      assert.isNull(first.ranges.at(-1)?.to)
      for (const [at, { to }] of first.ranges.slice(0, -1).entries()) assert.strictEqual(to, first.ranges[at + 1]?.from)
      const filed = first.ranges.map(({ seen }) => seen.filed)
      assert.strictEqual(
        filed.reduce((sum, one) => sum + one, 0),
        40
      )
      const again = yield* kept(all, 40, first.ranges.toReversed())
      assert.deepStrictEqual([again.wrong, again.read, again.told], [{}, [], 40])
      const half = first.ranges.slice(1)
      const rest = yield* kept(all, 40, half)
      assert.deepStrictEqual([rest.wrong, rest.read.length], [{}, filed[0]])
      const changed = [...all.slice(0, -1), ...filedAs("utxo", coin("c49", "x"), 2n)]
      const found = yield* kept(changed, 40, first.ranges)
      assert.property(found.wrong, "transactions")
      const gone = yield* kept(all.slice(0, -1), 39, first.ranges)
      assert.deepStrictEqual(gone.wrong, {})
      const missing = yield* kept(all, 41, first.ranges)
      assert.strictEqual(missing.wrong["rows"], "of 41 rows 40 were met under what they belong to")
    })
  )

  it.effect("keeps no range in which something is wrong", () =>
    Effect.gen(function* () {
      const all = [...free("a"), ...filedAs("utxo", coin("b", "x")), ...free("c")]
      const { ranges, wrong } = yield* kept(all, 3, [])
      assert.property(wrong, "transactions")
      const b = all[1]?.subject ?? assert.fail("there is none")
      const holdsOne = (some: ReadonlyArray<CleanRange>, subject: string) =>
        some.some(({ from, to }) => subject >= from && (to === null || subject < to))
      assert.isFalse(holdsOne(ranges, b))
      assert.isNotEmpty(ranges)
      const strange = free("a").map((one) => ({ ...one, subject: "elsewhere" }))
      assert.isFalse(holdsOne((yield* kept(strange, 1, [])).ranges, "elsewhere"))
    })
  )
})

describe("the books of all tenants", () => {
  const tenants = [tenantRecord(0), tenantRecord(1)]
  const run = (
    open: (slug: string) => Effect.Effect<TenantLedger, StorageError>,
    settings: Parameters<typeof checkAll>[1] = {}
  ) =>
    checkAll(tenants, settings).pipe(
      Effect.map((results) => results.filter(({ firstWrong }) => firstWrong !== null)),
      Effect.provideService(
        OperatorAudit,
        OperatorAudit.of({
          append: () => Effect.die("nothing is written"),
          after: () => Effect.succeed([]),
          before: () => Effect.die("it is read from the beginning")
        })
      ),
      Effect.provideService(
        LedgerSnapshot,
        LedgerSnapshot.of({
          snapshot: (id, use) =>
            Effect.flatMap(open(tenants.find((one) => one.id === id)?.slug ?? assert.fail("there is none")), use)
        })
      )
    )

  it.effect("are checked one after the other, also where those of one cannot be opened", () =>
    Effect.gen(function* () {
      const { ledger } = books(filedAs("utxo", coin("b", "x")), 1)
      const [one, other] = [tenants[0]?.slug, tenants[1]?.slug]
      const told: Array<string> = []
      const progress: NonNullable<Parameters<typeof checkAll>[1]>["progress"] = ({ slug }, rows) =>
        Effect.sync(() => void (rows > 0 && told.push(`${slug} ${rows}`)))
      const both = yield* run(() => Effect.succeed(ledger), { progress })
      assert.deepStrictEqual(
        both.map(({ invariant, tenant }) => [tenant?.slug, invariant]),
        [one, other].map((slug) => [slug, "transactions"])
      )
      assert.deepStrictEqual(told, [`${one} 1`, `${other} 1`])
      for (const [thrown, why] of [
        [new Error("no policy"), "no policy"],
        ["torn", "torn"]
      ] as const) {
        const found = yield* run((slug) => (slug === one ? Effect.die(thrown) : Effect.succeed(ledger)))
        assert.deepStrictEqual(
          found.map(({ firstWrong, invariant, tenant }) => [tenant?.slug, invariant === "rows" ? firstWrong : ""]),
          [
            [one, `the books of ${one} cannot be opened: ${why}`],
            [other, ""]
          ]
        )
      }
    })
  )

  it.effect("are named where the row of a tenant cannot be read", () =>
    Effect.gen(function* () {
      const { ledger } = books([], 0)
      const unreadable = [{ id: "x", problem: "no slug" }] as unknown as NonNullable<
        NonNullable<Parameters<typeof checkAll>[1]>["unreadable"]
      > // all of it that is looked at
      const [found, ...others] = yield* run(() => Effect.succeed(ledger), { unreadable })
      assert.isEmpty(others)
      assert.deepInclude(found, { tenant: null, invariant: "rows" })
      assert.strictEqual(found?.firstWrong, "the row of tenant x cannot be read: no slug")
    })
  )

  it.effect("are not judged where the store cannot be read", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.exit(run(() => Effect.fail(new StorageError({ cause: "gone" } as never)))) // why is not looked at
      assert.strictEqual(failed._tag, "Failure")
      const stopped = yield* Effect.exit(run(() => Effect.interrupt))
      assert.strictEqual(stopped._tag, "Failure")
    })
  )
})
