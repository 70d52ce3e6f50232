import { type AccountRules, accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import type {
  GuardPlan,
  OwnAccount,
  OwnAccounts,
  SweepPlan,
  SweepQuestion,
  WaitingPayment
} from "@bursar/core/port/TransactionPlanner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

const account = (address: string, more: Partial<OwnAccount> = {}): OwnAccount => ({
  ...{ address, nextSequence: 1n, openTransactions: 0, committed: [] },
  ...more
})

const accounts = (wallet: Partial<OwnAccount> = {}, channels: ReadonlyArray<OwnAccount> = []): OwnAccounts => ({
  wallet: account("w", wallet),
  channels
})

const guardOf = (address: string): GuardPlan => ({ _tag: "Sequence", account: address, first: null })

/** What accounts have, by address and contract. */
type Balances = { readonly [address: string]: { readonly [contract: string]: bigint } }

const estimated = (fee: bigint | null) => ({ fee, recipientHoldsAsset: null, assumedWorstCase: false })

/** A network on which accounts have so much, whose channels go first, and where a transaction costs 10. */
const planner = (balances: Balances, more: Partial<AccountRules> = {}) =>
  accountPlanner({
    balance: (address, contract) => Effect.succeed(balances[address]?.[contract ?? "native"] ?? 0n),
    estimate: () => Effect.succeed(estimated(10n)),
    lenders: ({ channels, wallet }) => [...channels, wallet],
    underWayMax: 2,
    guardOf: ({ address }) => Effect.succeed(guardOf(address)),
    ...more
  })

const payment = (id: string, units: bigint, contract: string | null = null): WaitingPayment => ({
  ...{ id, to: "r", contract, units, alone: false }
})

const freeUtxos = Effect.succeed([])

describe("the payouts of an account", () => {
  const plan = (
    payments: ReadonlyArray<WaitingPayment>,
    own: OwnAccounts,
    balances: Balances,
    more: Partial<AccountRules> & { readonly wanted?: number } = {}
  ) => planner(balances, more).payouts({ accounts: own, payments, underWayMax: more.wanted ?? 5, freeUtxos })

  it.effect("are those that it covers beside what is under way, first come first served", () =>
    Effect.gen(function* () {
      const own = accounts({ committed: [{ contract: null, units: 4n }] })
      const payments = [payment("a", 7n), payment("b", 6n), payment("t", 3n, "0xt"), payment("u", 1n, "0xu")]
      const found = yield* plan(payments, own, { w: { native: 10n, "0xt": 3n } })
      assert.deepStrictEqual(
        found.transactions.map(({ ids }) => ids),
        [["b"], ["t"]]
      )
      assert.deepStrictEqual(
        found.waiting.map(({ id, reason, retry }) => [id, reason, retry]),
        [
          // it has 10, of which 4 may be in a block already
          ["a", "insufficient_wallet", "soon"],
          ["u", "insufficient_wallet", "later"]
        ]
      )
      // an operator reads what is missing
      assert.strictEqual(found.waiting[0]?.detail, "the wallet w has 6 units of the native asset left, 7 are needed")
      assert.strictEqual(found.waiting[1]?.detail, "the wallet w has 0 units of 0xu left, 1 are needed")
      const all = yield* plan([payment("a", 10n)], own, { w: { native: 10n } })
      assert.deepInclude(all.waiting[0], { retry: "soon" })
      const exact = yield* plan([payment("a", 10n)], accounts(), { w: { native: 10n } })
      assert.lengthOf(exact.transactions, 1)
    })
  )

  it.effect(
    "are held against one answer of the chain for each asset, and ask for no guard that none of them uses",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const rules: Partial<AccountRules> = {
          balance: (_, contract) => Effect.sync(() => (asked.push(contract ?? "native"), 9n)),
          guardOf: ({ address }) => Effect.sync(() => (asked.push(`guard of ${address}`), guardOf(address)))
        }
        const own = accounts({}, [account("c1", { openTransactions: 2 })])
        const payments = [payment("a", 1n), payment("t", 1n, "0xt"), payment("b", 1n), payment("u", 1n, "0xt")]
        yield* plan(payments, own, {}, rules)
        assert.deepStrictEqual(asked, ["native", "0xt", "guard of w"])
      })
  )

  it.effect("are those whose fees the wallet pays as well, which nobody else is promised", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      // a receiver who holds the asset is cheaper
      const payoutFee: AccountRules["payoutFee"] = ({ contract, to }, beside) => {
        asked.push(`${contract ?? "native"} to ${to ?? "anybody"} beside ${beside}`)
        return Effect.succeed(to === "r" ? 10n : 13n)
      }
      const three = ["1", "2", "3"].map((id) => payment(id, 1n, "0xt"))
      const own = accounts({ openTransactions: 1, committed: [{ contract: null, units: 5n }] })
      const rules = { payoutFee, lenders: ({ wallet }: OwnAccounts) => [wallet], underWayMax: 9 }
      const found = yield* plan(three, own, { w: { native: 30n, "0xt": 9n } }, rules)
      assert.deepStrictEqual(
        found.transactions.map(({ fee, ids }) => [...ids, fee]),
        [
          ["1", 13n],
          ["2", 10n]
        ]
      )
      assert.deepStrictEqual(found.waiting, [
        {
          id: "3",
          reason: "insufficient_wallet",
          detail: "the wallet w has 2 units of the native asset left for the network fee, 10 are needed",
          retry: "soon",
          lacksFee: true
        }
      ])
      assert.deepStrictEqual(asked, ["0xt to anybody beside 3", "0xt to r beside 2", "0xt to r beside 3"])
      // the native asset pays for itself
      const native = [payment("a", 20n), payment("b", 21n), payment("c", 17n)]
      const rest = yield* plan(native, accounts(), { w: { native: 30n } }, rules)
      assert.deepStrictEqual(
        rest.transactions.map(({ fee, ids }) => [...ids, fee]),
        [["a", 10n]]
      )
      // whoever lends its guard pays the fee
      const lent = { payoutFee, lenders: ({ channels }: OwnAccounts) => channels }
      const through = yield* plan([payment("d", 30n)], accounts({}, [account("c")]), { w: { native: 30n } }, lent)
      assert.deepStrictEqual(through.transactions, [{ ids: ["d"], guard: guardOf("c") }])
      const dear = yield* plan([payment("b", 21n)], accounts(), { w: { native: 30n } }, rules)
      assert.deepInclude(dear.waiting[0], {
        retry: "later",
        detail: "the wallet w has 9 units of the native asset left for the network fee, 10 are needed"
      })
    })
  )

  it.effect("wait for no fee that is nothing, or that nobody can tell", () =>
    Effect.gen(function* () {
      const poor = { w: { native: 0n, "0xt": 9n } }
      const own = accounts({ committed: [{ contract: null, units: 5n }] })
      for (const fee of [0n, null]) {
        const found = yield* plan([payment("1", 1n, "0xt")], own, poor, { payoutFee: () => Effect.succeed(fee) })
        assert.deepStrictEqual(
          found.transactions.map((one) => Object.keys(one)),
          [["ids", "guard"]],
          `${fee}`
        )
      }
    })
  )

  it.effect("are promised no more than newer blocks have left, nor are top-ups", () =>
    Effect.gen(function* () {
      const rules = { promisable: () => Effect.succeed(4n) }
      const rich = { w: { native: 100n } }
      const found = yield* plan([payment("a", 5n), payment("b", 4n)], accounts(), rich, rules)
      assert.deepStrictEqual(
        [...found.transactions.flatMap(({ ids }) => ids), ...found.waiting.map(({ id }) => id)],
        ["b", "a"]
      )
      const { left } = yield* planner(rich, rules).topUp({ accounts: accounts(), to: "t", units: 1n })
      assert.strictEqual(left, 4n)
    })
  )

  it.effect("use one replay guard each: those of the first account while it may have more under way", () =>
    Effect.gen(function* () {
      const rich = { w: { native: 100n } }
      const five = ["a", "b", "c", "d", "e"].map((id) => payment(id, 1n))
      const guards = (own: OwnAccounts, wanted: number) =>
        Effect.map(plan(five, own, rich, { wanted }), ({ transactions, waiting }) => {
          assert.isEmpty(waiting, "what finds no guard waits for the next round")
          return transactions.map(({ guard, ids }) => `${ids.join()} ${guard._tag === "Sequence" && guard.account}`)
        })
      const own = accounts({}, [account("c1", { openTransactions: 1 }), account("c2", { openTransactions: 3 })])
      assert.deepStrictEqual(yield* guards(own, 5), ["a c1", "b w", "c w"])
      assert.deepStrictEqual(yield* guards(own, 1), ["a w"])
      assert.deepStrictEqual(yield* guards(own, 0), [])
      const { room } = planner(rich)
      assert.deepStrictEqual(
        [5, 2, 1, 0].map((wanted) => room(own, wanted)),
        [3, 3, 1, 0]
      )
    })
  )

  it.effect("wait for an account that does not exist", () =>
    Effect.gen(function* () {
      const rules = {
        guardOf: ({ address }: { readonly address: string }) =>
          Effect.succeed(address === "w" ? null : guardOf(address))
      }
      const own = accounts({}, [account("c1", { openTransactions: 1 })])
      const found = yield* plan([payment("a", 1n), payment("b", 1n)], own, { w: { native: 9n } }, rules)
      assert.deepStrictEqual(
        found.transactions.map(({ ids }) => ids),
        [["a"]]
      )
      assert.deepStrictEqual(
        found.waiting.map(({ id, reason, retry }) => [id, reason, retry]),
        [["b", "insufficient_wallet", "later"]]
      )
    })
  )

  const contracts = [null, "0xt"] as const
  const some = fc.record({
    payments: fc.array(fc.record({ units: fc.bigInt(1n, 20n), contract: fc.constantFrom(...contracts) }), {
      maxLength: 8
    }),
    held: fc.tuple(fc.bigInt(0n, 40n), fc.bigInt(0n, 40n)),
    committed: fc.tuple(fc.bigInt(0n, 10n), fc.bigInt(0n, 10n)),
    open: fc.array(fc.nat({ max: 3 }), { maxLength: 3 })
  })

  it("never take more than there is, and each is planned or waits once", () =>
    fc.assert(
      fc.asyncProperty(some, async ({ committed, held, open, payments }) => {
        const own = accounts(
          { committed: committed.map((units, at) => ({ contract: contracts[at] ?? null, units })) },
          open.map((openTransactions, at) => account(`c${at}`, { openTransactions }))
        )
        const waiting = payments.map(({ contract, units }, at) => payment(`${at}`, units, contract))
        const found = await Effect.runPromise(plan(waiting, own, { w: { native: held[0], "0xt": held[1] } }))
        const planned = found.transactions.flatMap(({ ids }) => ids)
        const named = [...planned, ...found.waiting.map(({ id }) => id)]
        assert.lengthOf(named, new Set(named).size)
        if (found.transactions.length < planner({}).room(own, 5)) assert.lengthOf(named, waiting.length)
        for (const [at, contract] of contracts.entries()) {
          const paid = waiting.filter((one) => one.contract === contract && planned.includes(one.id))
          const sum = paid.reduce((all, { units }) => all + units, committed[at] ?? 0n)
          assert.isTrue(paid.length === 0 || sum <= (held[at] ?? 0n), `${sum} of ${held[at]}`)
        }
      })
    ))
})

describe("the sweep of an account", () => {
  const deposits = [30n, 70n].map((units, transferIndex) => ({ txHash: "0x1", transferIndex, address: "d", units }))
  const sweep = (has: Balances[string], question: Partial<SweepQuestion> = {}, more: Partial<AccountRules> = {}) =>
    planner({ d: has }, more).sweep({
      ...{
        to: "w",
        account: "d",
        nextSequence: null,
        contract: "0xt",
        deposits,
        costTimes: 1,
        budgetPercent: 150,
        keeps: 0n
      },
      ...{ topUp: "possible", publicKeyOf: () => Effect.undefined },
      ...question
    })
  const moved = (units: bigint): SweepPlan => ({
    _tag: "Sweep",
    from: "d",
    deposits,
    units,
    fee: 10n,
    guard: guardOf("d")
  })

  it.effect("moves what arrived, or what of it is there, and never more", () =>
    Effect.gen(function* () {
      for (const [there, units] of [
        [100n, 100n],
        [99n, 99n],
        [1_000n, 100n]
      ] as const)
        assert.deepStrictEqual(yield* sweep({ native: 15n, "0xt": there }), moved(units), `${there}`)
      assert.deepStrictEqual(yield* sweep({ native: 15n }), { _tag: "NotNow", reason: "below_threshold" })
    })
  )

  it.effect("of the native asset leaves what pays for it, and what the account is to keep", () =>
    Effect.gen(function* () {
      for (const [there, keeps, units] of [
        [100n, 0n, 85n],
        [1_000n, 0n, 85n],
        [100n, 20n, 65n],
        [110n, 20n, 75n],
        [16n, 0n, 1n]
      ] as const)
        assert.deepStrictEqual(yield* sweep({ native: there }, { contract: null, keeps }), moved(units), `${there}`)
      for (const [there, keeps] of [
        [15n, 0n],
        [35n, 20n]
      ] as const)
        assert.deepStrictEqual(yield* sweep({ native: there }, { contract: null, keeps }), {
          _tag: "NotNow",
          reason: "below_threshold"
        })
      const reserved = { spendable: () => Effect.succeed(50n) }
      assert.deepStrictEqual(yield* sweep({ native: 100n }, { contract: null }, reserved), moved(35n))
    })
  )

  it.effect("waits for what pays for it: with a margin before it was given that, with what it costs after", () =>
    Effect.gen(function* () {
      const lacks = (units: bigint): SweepPlan => ({ _tag: "LacksNative", fee: 10n, lacks: units })
      assert.deepStrictEqual(yield* sweep({ native: 14n, "0xt": 100n }), lacks(1n))
      assert.deepStrictEqual(yield* sweep({ "0xt": 100n }), lacks(15n))
      const given = { topUp: "given" } as const
      assert.deepStrictEqual(yield* sweep({ native: 10n, "0xt": 100n }, given), moved(100n))
      assert.deepStrictEqual(yield* sweep({ native: 9n, "0xt": 100n }, given), { _tag: "NotNow", reason: "no_coin" })
      assert.deepStrictEqual(
        yield* sweep({ native: 50n, "0xt": 100n }, {}, { spendable: () => Effect.succeed(14n) }),
        lacks(1n)
      )
    })
  )

  it.effect("waits where nobody says what it costs, or the account does not exist", () =>
    Effect.gen(function* () {
      const has = { native: 15n, "0xt": 100n }
      const silent = { estimate: () => Effect.succeed(estimated(null)) }
      assert.deepStrictEqual(yield* sweep(has, {}, silent), { _tag: "NotNow", reason: "cost_unknown" })
      const none = { guardOf: () => Effect.succeed(null) }
      assert.deepStrictEqual(yield* sweep(has, {}, none), { _tag: "NotNow", reason: "no_coin" })
    })
  )

  it.effect("asks what it costs to move all that waits from where it is to the wallet", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const estimate: AccountRules["estimate"] = (order) => Effect.sync(() => (asked.push(order), estimated(10n)))
      yield* sweep({ native: 15n, "0xt": 3n }, {}, { estimate })
      yield* planner({}, { estimate }).topUp({ accounts: accounts(), to: "d", units: 5n })
      assert.deepStrictEqual(asked, [
        { from: "d", to: "w", contract: "0xt", units: 100n },
        { from: "w", to: "d", contract: null, units: 5n }
      ])
    })
  )

  it("is of what waits on one account", () => {
    const waiting = ["d", "e", "d"].map((one, at) => ({ account: one, at }))
    assert.deepStrictEqual(
      planner({})
        .sweptTogether(waiting)
        .map((some) => some.map(({ at }) => at)),
      [[0, 2], [1]]
    )
  })
})

describe("a top-up", () => {
  const topUp = (own: OwnAccounts, more: Partial<AccountRules> = {}) =>
    planner({ w: { native: 100n } }, more).topUp({ accounts: own, to: "d", units: 5n })

  it.effect("is paid from what the wallet has beside what is under way", () =>
    Effect.gen(function* () {
      const committed = [
        { contract: "0xt", units: 7n },
        { contract: null, units: 30n }
      ]
      assert.deepStrictEqual(yield* topUp(accounts({ committed })), { fee: 10n, left: 70n, guard: guardOf("w") })
      assert.deepInclude(yield* topUp(accounts()), { left: 100n })
    })
  )

  it.effect("uses the guard of the wallet, or else of a channel that lends one", () =>
    Effect.gen(function* () {
      const busy = { openTransactions: 2 }
      const [first, second] = [account("c1", busy), account("c2", { openTransactions: 1 })]
      const guard = (own: OwnAccounts, more: Partial<AccountRules> = {}) =>
        Effect.map(topUp(own, more), (found) => found.guard)
      assert.deepStrictEqual(yield* guard(accounts({ openTransactions: 1 }, [second])), guardOf("w"))
      assert.deepStrictEqual(yield* guard(accounts(busy, [first, second])), guardOf("c2"))
      assert.isNull(yield* guard(accounts(busy, [first])))
      const onlyFirst = { lenders: ({ channels }: OwnAccounts) => channels.slice(0, 1) }
      assert.isNull(yield* guard(accounts(busy, [first, second]), onlyFirst), "the other lends nothing")
      assert.deepStrictEqual(
        yield* guard(accounts({}, []), { lenders: () => [] }),
        guardOf("w"),
        "its own it has always"
      )
    })
  )
})

describe("the next sequence of an account", () => {
  it.effect("is the chain's word while nothing of the account is under way", () =>
    Effect.gen(function* () {
      const next = (own: Partial<OwnAccount>, first: bigint | null = 7n) =>
        nextSequenceGuard(() => Effect.succeed(first))(account("a", own))
      const guard = (first: bigint | null): GuardPlan => ({ _tag: "Sequence", account: "a", first })
      assert.deepStrictEqual(yield* next({}), guard(7n))
      assert.deepStrictEqual(yield* next({ openTransactions: 1 }), guard(null))
      assert.deepStrictEqual(yield* next({ nextSequence: null, openTransactions: 1 }), guard(7n))
      assert.isNull(yield* next({}, null), "there is no such account")
    })
  )
})
