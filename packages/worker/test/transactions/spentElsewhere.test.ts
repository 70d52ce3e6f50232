import { ChainError } from "@bursar/core/port/Chain"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork, missingSpent } from "../fakeNetwork.ts"
import { mineFor } from "./stumbling.ts"
import { allOver, ledgerHolds, mineUntil, operationsOf, pay, payer, processOver, sending, tick } from "./world.ts"

/** The block that made the UTXOs of a wallet, as the records have it. */
const fundedIn = 1

/** A wallet of six UTXOs, two of which were spent by what the database knows nothing of. */
const restored = Effect.fnUntraced(function* (fake: FakeSender, deep: boolean) {
  yield* TestClock.setTime(1_700_000_000_000)
  const { id, wallet } = yield* payer("bitcoin", fake, 6)
  const all = yield* (yield* Queries).records(id, WalletUtxo, wallet.id)
  const utxos = all.toSorted((one, other) => (one.txHash < other.txHash ? -1 : 1)).slice(-2)
  fake.rival({ _tag: "Utxos", utxos }, yield* Clock.currentTimeMillis)
  if (deep) for (let n = 0; n < 10; n++) fake.mine(yield* Clock.currentTimeMillis)
  const states = Effect.gen(function* () {
    const now = yield* (yield* Queries).records(id, WalletUtxo)
    return utxos.map(({ txHash, vout }) => now.find((one) => one.txHash === txHash && one.vout === vout)?.state)
  })
  return { id, states }
})

describe("UTXOs that the database believes unspent and that are spent on the chain", () => {
  it.effect("are spent from then on, and payouts leave by the others", () => {
    const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 1 })
    return Effect.gen(function* () {
      const { id, states } = yield* restored(plain, true)
      yield* Effect.forkScoped(sending(missingSpent(plain)))
      const made = yield* Effect.forEach([1, 2, 3], (n) => pay(id, "bitcoin", n))
      yield* mineUntil(plain, "all are over", allOver(id, made))
      assert.deepStrictEqual(
        (yield* operationsOf(id, made)).map(({ status }) => status),
        ["SETTLED", "SETTLED", "SETTLED"]
      )
      assert.deepStrictEqual(yield* states, ["SPENT", "SPENT"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), missingSpent(plain))))
  })

  it.effect("are found however long ago they were spent: the chain is asked back to the block that made them", () => {
    const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 1 })
    const { sender } = missingSpent(plain)
    // what spent them stands below the newest blocks, which are all that is looked through where nobody says in what block they were made
    const long: FakeSender = {
      ...plain,
      sender: {
        ...sender,
        status: (order, attempts) =>
          attempts.length > 0 || order.madeSince === fundedIn
            ? sender.status(order, attempts)
            : Effect.fail(new ChainError({ network: "bitcoin", reason: "absent", doing: "find", detail: "not found" }))
      }
    }
    return Effect.gen(function* () {
      const { id, states } = yield* restored(plain, true)
      yield* Effect.forkScoped(sending(long))
      const made = yield* Effect.forEach([1, 2, 3], (n) => pay(id, "bitcoin", n))
      yield* mineUntil(plain, "all are over", allOver(id, made))
      assert.deepStrictEqual(yield* states, ["SPENT", "SPENT"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), long)))
  })

  it.effect("keep what was reserved with them while what has spent them may yet leave the chain", () => {
    const plain = fakeNetwork({ network: "bitcoin", paymentsMax: 1, finality: 1_000 })
    return Effect.gen(function* () {
      const { id, states } = yield* restored(plain, false)
      yield* Effect.forkScoped(sending(missingSpent(plain)))
      yield* Effect.forEach([1, 2, 3], (n) => pay(id, "bitcoin", n))
      yield* mineFor(plain, 20)
      for (let n = 0; n < 10; n++) yield* tick
      assert.deepStrictEqual(yield* states, ["RESERVED", "RESERVED"])
      const transactions = yield* (yield* Queries).records(id, OutboundTransaction)
      assert.include(
        transactions.map(({ phase, problem }) => `${phase} ${problem?.includes("is not unspent")}`),
        "RESERVED true"
      )
    }).pipe(Effect.provide(processOver(emptyState(), missingSpent(plain))))
  })
})
