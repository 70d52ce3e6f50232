import { ChainError } from "@bursar/core/port/Chain"
import type { GuardPlan, OwnAccount, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { payoutsByAgreed } from "../../src/nodes/agreedPayouts.ts"

const account = (address: string): OwnAccount => ({ address, nextSequence: null, openTransactions: 0, committed: [] })

const disputed = new ChainError({ network: "stellar", reason: "inconsistent", doing: "count", detail: "9 and 5" })

/** Gives each payment to the next account, the wallet where there is no other, and leaves what is too much for another round. */
const inTurn: TransactionPlanner["payouts"] = ({ accounts: { channels, wallet }, payments }) => {
  const lenders = channels.length > 0 ? channels : [wallet]
  const transactions = lenders.flatMap(({ address }, at) => {
    const id = payments[at]?.id
    return id === undefined ? [] : [{ ids: [id], guard: { _tag: "Sequence", account: address, first: 9n } as const }]
  })
  return Effect.succeed({ transactions, waiting: [] })
}

/** What is planned of some payments by channel accounts, of which operators disagree about some. */
const planned = (ids: ReadonlyArray<string>, channels: ReadonlyArray<string>, unknown: ReadonlyArray<string>) => {
  const plan = payoutsByAgreed(inTurn, (guard): Effect.Effect<GuardPlan, ChainError> =>
    guard._tag === "Sequence" && unknown.includes(guard.account) ? Effect.fail(disputed) : Effect.succeed(guard)
  )
  const request = {
    accounts: { wallet: account("wallet"), channels: channels.map(account) },
    payments: ids.map((id) => ({ id, to: "r", contract: null, units: 1n, alone: false })),
    underWayMax: 9,
    freeUtxos: Effect.succeed([])
  }
  return Effect.map(plan(request), ({ transactions, waiting }) => ({
    paid: transactions.map(({ guard, ids: all }) => [guard._tag === "Sequence" && guard.account, ...all].join(" ")),
    waiting: waiting.map(({ detail, id, reason, retry }) => {
      assert.strictEqual(reason, "node_unreadable")
      assert.include(detail, disputed.detail)
      return `${id} ${retry}`
    })
  }))
}

describe("payouts by accounts of which some are disputed", () => {
  it.effect("go through the others, and what those have no room for waits for a moment", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* planned(["1"], ["a", "b"], []), { paid: ["a 1"], waiting: [] })
      assert.deepStrictEqual(yield* planned(["1"], ["a", "b"], ["a"]), { paid: ["b 1"], waiting: [] })
      assert.deepStrictEqual(yield* planned(["1", "2"], ["a", "b"], ["b"]), { paid: ["a 1"], waiting: ["2 soon"] })
      assert.deepStrictEqual(yield* planned(["1", "2"], ["a", "b"], ["a"]), { paid: ["b 1"], waiting: [] })
    })
  )

  it.effect("go through the last one that is not disputed, however many are", () =>
    Effect.gen(function* () {
      const all = ["a", "b", "c", "d", "e", "f"]
      assert.deepStrictEqual(yield* planned(["1"], all, all.slice(0, 5)), { paid: ["f 1"], waiting: [] })
      assert.deepStrictEqual(yield* planned(["1", "2"], all, all.slice(0, 5)), { paid: ["f 1"], waiting: ["2 soon"] })
    })
  )

  it.effect("wait where all are disputed: the wallet lends no number in the place of channel accounts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* planned(["1", "2"], ["a", "b"], ["a", "b"]), {
        paid: [],
        waiting: ["1 later", "2 later"]
      })
      assert.deepStrictEqual(yield* planned(["1"], ["a", "b"], ["a", "b"]), { paid: [], waiting: ["1 later"] })
      assert.deepStrictEqual(yield* planned(["1"], [], ["wallet"]), { paid: [], waiting: ["1 later"] })
    })
  )
})
