import { ChainError } from "@bursar/core/port/Chain"
import type { GuardPlan, OwnAccount, SweepQuestion, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { planByAgreed } from "../../src/nodes/agreedSequence.ts"

const account = (address: string, nextSequence: bigint | null): OwnAccount => ({
  ...{ address, nextSequence, openTransactions: 0, committed: [] }
})

const takes = (address: string, first: bigint | null): GuardPlan => ({ _tag: "Sequence", account: address, first })

/** A planner over a node that says 9 of every account, and what operators agree on: 5. */
const world = (first: bigint | null = 9n) => {
  const asked: Array<string> = []
  const planner: TransactionPlanner = {
    room: () => 1,
    sweptTogether: () => [],
    payouts: ({ accounts: { channels, wallet }, payments }) => {
      const transactions = [wallet, ...channels].flatMap(({ address }) => {
        const guard = takes(address, first)
        return payments.map(({ id }) => ({ ids: [`${id} by ${address}`], guard }))
      })
      return Effect.succeed({ transactions, waiting: [] })
    },
    sweep: ({ account: from, deposits }) =>
      Effect.succeed({ _tag: "Sweep", from, deposits, units: 1n, fee: 1n, guard: takes(from, first) }),
    topUp: ({ accounts: { wallet } }) => Effect.succeed({ fee: 1n, left: 1n, guard: takes(wallet.address, first) }),
    provisioner: {
      walletKeeps: 0n,
      look: () => Effect.die(new Error("nobody looks")),
      lend: ([lender]) => Effect.succeed(lender === undefined ? null : takes(lender.address, first))
    }
  }
  const firstSequence = (address: string) => Effect.sync(() => (asked.push(address), 5n))
  const known: Array<string> = []
  const settled = (address: string) => void known.push(address)
  return { asked, known, raw: planner, planner: planByAgreed(planner, { firstSequence, settled }) }
}

const disputed = new ChainError({ network: "stellar", reason: "inconsistent", doing: "count", detail: "9 and 5" })

/** What is lent by accounts, of which operators disagree about some, and some are busy. */
const lent = (lenders: ReadonlyArray<string>, unknown: ReadonlyArray<string>, busy: ReadonlyArray<string> = []) => {
  const { raw } = world()
  const { provisioner } = planByAgreed(
    {
      ...raw,
      provisioner: {
        walletKeeps: 0n,
        look: () => Effect.die(new Error("nobody looks")),
        lend: (all) => {
          const free = all.find(({ address }) => !busy.includes(address))
          return Effect.succeed(free === undefined ? null : takes(free.address, 9n))
        }
      }
    },
    {
      firstSequence: (address) => (unknown.includes(address) ? Effect.fail(disputed) : Effect.succeed(9n)),
      settled: () => undefined
    }
  )
  const lend = provisioner?.lend ?? (() => Effect.die(new Error("it lends")))
  return lend(lenders.map((address) => account(address, null)))
}

const payments = ["a", "b"].map((id) => ({ id, to: "r", contract: null, units: 1n, alone: false }))

const payouts = ({ payouts: plan }: TransactionPlanner, wallet: OwnAccount, channels: ReadonlyArray<OwnAccount>) =>
  plan({ accounts: { wallet, channels }, payments, underWayMax: 9, freeUtxos: Effect.succeed([]) })

const sweep: SweepQuestion = {
  ...{
    to: "w",
    account: "d",
    nextSequence: null,
    contract: null,
    deposits: [],
    costTimes: 1,
    budgetPercent: 100,
    keeps: 0n
  },
  topUp: "possible",
  publicKeyOf: () => Effect.undefined
}

describe("a plan over nodes of two operators", () => {
  it.effect(
    "takes numbers that operators agree on where the records have none, or a lower one: each is asked for once",
    () =>
      Effect.gen(function* () {
        const { asked, planner } = world()
        const { transactions } = yield* payouts(planner, account("w", 8n), [account("c", null), account("known", 9n)])
        assert.deepStrictEqual(
          transactions.map(({ guard }) => guard),
          [takes("w", 5n), takes("w", 5n), takes("c", 5n), takes("c", 5n), takes("known", 9n), takes("known", 9n)]
        )
        assert.deepStrictEqual(asked, ["w", "c"])
      })
  )

  it.effect("asks nobody where it takes no number of the chain", () =>
    Effect.gen(function* () {
      const { asked, known, planner } = world(null)
      yield* payouts(planner, account("w", null), [])
      assert.deepStrictEqual([asked, known], [[], []])
    })
  )

  it.effect("asks nobody for a sweep of an account whose number the records have", () =>
    Effect.gen(function* () {
      const { asked, known, planner } = world()
      assert.deepInclude(yield* planner.sweep({ ...sweep, nextSequence: 9n }), { guard: takes("d", 9n) })
      assert.deepStrictEqual([asked, known], [[], ["d"]])
    })
  )

  it.effect("takes them for sweeps, top-ups and new accounts, too", () =>
    Effect.gen(function* () {
      const { planner } = world()
      const wallet = account("w", 8n)
      assert.deepInclude(yield* planner.sweep(sweep), { guard: takes("d", 5n) })
      assert.deepInclude(yield* planner.sweep({ ...sweep, nextSequence: 8n }), { guard: takes("d", 5n) })
      const question = { accounts: { wallet, channels: [] }, to: "d", units: 1n }
      assert.deepInclude(yield* planner.topUp(question), { guard: takes("w", 5n) })
      const lend = planner.provisioner?.lend ?? (() => Effect.die(new Error("it lends")))
      assert.deepStrictEqual(yield* lend([wallet]), takes("w", 5n))
      assert.isNull(yield* lend([]))
    })
  )
})

describe("a step of provisioning while the numbers of lenders are disputed", () => {
  it.effect("goes by another lender", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lent(["a", "b", "c"], ["a", "b"]), takes("c", 9n))
    })
  )

  it.effect("waits, and says why, where there is no other, or no other is free", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(lent(["a", "b"], ["a", "b"])), disputed)
      assert.strictEqual(yield* Effect.flip(lent(["a", "b"], ["a"], ["b"])), disputed)
    })
  )
})
