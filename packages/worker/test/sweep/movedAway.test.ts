import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork, missingSpent } from "../fakeNetwork.ts"
import { always, mineFor } from "../transactions/stumbling.ts"
import { ledgerHolds, mineUntil, processOver, tick } from "../transactions/world.ts"
import {
  arrive,
  booked,
  confirmed,
  custody,
  isBack,
  lost,
  movedOf,
  openSweepables,
  sweeping,
  sweepsOf
} from "./world.ts"

/** A tenant with coins of 50,000, 60,000 and 70,000 on three addresses. */
const three = Effect.fnUntraced(function* (fake: FakeSender) {
  yield* TestClock.setTime(1_700_000_000_000)
  const { addresses, id, wallet } = yield* custody("bitcoin", fake, 3)
  const deposits = yield* Effect.forEach(addresses, (address, at) =>
    Effect.flatMap(arrive(id, fake, address, "BTC", 50_000n + 10_000n * BigInt(at)), (one) => confirmed(id, one))
  )
  const [first, second, third] = deposits
  if (first === undefined || second === undefined || third === undefined) return assert.fail("no deposits")
  return { id, wallet, first, others: [second, third] as const }
})

/** Spends a deposit in a way that the service knows nothing of. */
const moveAway = Effect.fnUntraced(function* (fake: FakeSender, { address, txHash, units }: Deposit) {
  fake.rival({ _tag: "Utxos", utxos: [{ txHash, vout: 0, units, address }] }, yield* Clock.currentTimeMillis)
})

const othersAreMoved = (fake: FakeSender, wallet: { readonly address: string }) =>
  Effect.sync(() => fake.holds(wallet.address, null) >= 129_000n)

describe("a coin that somebody else with its key has moved", () => {
  for (const when of ["before its sweep is reserved", "after its sweep was signed"] as const)
    it.effect(`keeps no other coins from being swept, is not tried again, and stays in the books, ${when}`, () => {
      const plain = fakeNetwork({ network: "bitcoin", charges: true })
      return Effect.gen(function* () {
        const { first, id, wallet } = yield* three(plain)
        if (when === "after its sweep was signed") {
          plain.answers(Array.from({ length: 1_000 }, () => "drops" as const))
          yield* Effect.forkScoped(sweeping(missingSpent(plain)))
          for (let n = 0; n < 6; n++) yield* tick
          assert.deepStrictEqual([...new Set((yield* sweepsOf(id)).map(({ state }) => state))], ["SWEEP_SIGNED"])
          yield* moveAway(plain, first)
          yield* mineFor(plain, 10)
          plain.answers([])
        } else {
          yield* moveAway(plain, first)
          yield* mineFor(plain, 10)
          yield* Effect.forkScoped(sweeping(missingSpent(plain)))
        }
        yield* mineUntil(plain, "the others are moved", othersAreMoved(plain, wallet))
        yield* mineFor(plain, 60)
        const [given, ...rest] = (yield* sweepsOf(id)).filter(({ deposits }) =>
          deposits.some(({ depositId }) => depositId === first.id)
        )
        assert.deepStrictEqual(rest, [], "it is tried once")
        assert.strictEqual(given?.problem, `Somebody else has moved what deposit ${first.id} brought.`)
        const kept = (yield* openSweepables(id)).find(({ depositId }) => depositId === first.id)
        assert.strictEqual(kept?.sweepId, given?.id)
        // that it is not there any more is for reconciliation to show, and for an operator to write off
        assert.strictEqual((yield* booked(id, "chain:bitcoin:deposits")).get("BTC"), 50_000n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), missingSpent(plain))))
    })

  it.effect(
    "does not count one as moved that is only out of the chain then: it is swept once it is there again",
    () => {
      const plain = fakeNetwork({ network: "bitcoin", charges: true })
      let out: string | undefined
      const fake = missingSpent(plain, ({ txHash }) => txHash === out)
      return Effect.gen(function* () {
        const { first, id, others, wallet } = yield* three(plain)
        const [other] = others
        yield* moveAway(plain, first)
        yield* mineFor(plain, 10)
        out = other.txHash
        yield* Effect.forkScoped(sweeping(fake))
        const givenUp = Effect.map(sweepsOf(id), (all) => all.some(({ closedAt }) => closedAt !== null))
        yield* mineUntil(plain, "the first sweep is given up", givenUp)
        // the reader comes to it later than the sender
        yield* lost(id, plain, other)
        yield* mineFor(plain, 20)
        out = undefined
        yield* confirmed(id, yield* isBack(id, plain, other))
        yield* mineUntil(plain, "the others are moved", othersAreMoved(plain, wallet))
        yield* mineFor(plain, 10)
        const kept = (yield* openSweepables(id)).filter(({ sweepId }) => sweepId !== null)
        const swept = movedOf(yield* sweepsOf(id))
        assert.sameMembers(
          kept.flatMap(({ depositId }) => (swept.includes(depositId) ? [] : [depositId])),
          [first.id]
        )
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("may have been moved by a sweep that only the signer remembers: the others are swept all the same", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { first, id, wallet } = yield* three(fake)
      const signer = yield* TransactionSigner
      const before = {
        hash: "rival-0",
        raw: new Uint8Array(),
        validUntil: null,
        feeMax: null,
        shares: "guard"
      } as const
      const remembering: typeof signer = {
        ...signer,
        signed: (of) => Effect.map(signer.signed(of), (all) => [...all, before])
      }
      yield* moveAway(fake, first)
      yield* mineFor(fake, 10)
      const worker = sweeping(missingSpent(fake)).pipe(Effect.provideService(TransactionSigner, remembering))
      yield* Effect.forkScoped(worker)
      yield* mineUntil(fake, "the others are moved", othersAreMoved(fake, wallet))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), missingSpent(fake))))
  })
})

describe("a coin of two sweeps, the first of which was given up for another coin that was lost for a while", () => {
  /** A node that says nothing final of what was signed first until it may. */
  const tellingLater = (fake: FakeSender, mayTell: () => boolean): FakeSender => ({
    ...fake,
    sender: {
      ...fake.sender,
      status: (order, attempts) =>
        Effect.map(fake.sender.status(order, attempts), (status) =>
          status._tag === "Final" && !mayTell()
            ? { _tag: "Included", hash: status.hash, blockNumber: status.blockNumber }
            : status
        )
    }
  })

  const both = Effect.fnUntraced(function* (plain: FakeSender, fake: FakeSender) {
    const { first, id, others } = yield* three(plain)
    const [other] = others
    yield* Effect.forkScoped(sweeping(fake))
    for (let n = 0; n < 6; n++) yield* tick
    yield* lost(id, plain, other)
    for (let n = 0; n < 20; n++) yield* tick
    const isIn = (one: string) => (sweep: Sweep) => sweep.state === one
    const all = yield* sweepsOf(id)
    const [earlier, later] = [all.filter(isIn("ABANDONED")), all.filter(isIn("SWEEP_SIGNED"))]
    assert.deepStrictEqual([earlier.length, later.length], [3, 2], "the others are signed for again")
    plain.answers(always("refuses"))
    /** What became of some sweeps by now. */
    const fateOf = (sweeps: ReadonlyArray<Sweep>) =>
      Effect.map(sweepsOf(id), (now) => [
        ...new Set(
          now
            .filter((sweep) => sweeps.some((one) => one.id === sweep.id))
            .map(({ closedAt, problem, state }) => `${state}${closedAt === null ? " open" : ""}, ${problem}`)
        )
      ])
    const keeper = Effect.map(
      openSweepables(id),
      (now) => now.find(({ depositId }) => depositId === first.id)?.sweepId ?? null
    )
    return { earlier, fateOf, first, id, keeper, later, other }
  })

  it.effect(
    "has moved by the first while the second waits for that to be deep enough: the books hold meanwhile",
    () => {
      const plain = fakeNetwork({ network: "bitcoin", charges: true })
      let isDeep = false
      /** A node that does not say that anything is excluded until it is deep enough. */
      const fake: FakeSender = {
        ...plain,
        sender: {
          ...plain.sender,
          status: (order, attempts) =>
            Effect.map(plain.sender.status(order, attempts), (status) =>
              status._tag === "Invalidated" && !isDeep ? { _tag: "Pending", known: false } : status
            )
        }
      }
      return Effect.gen(function* () {
        const { earlier, fateOf, id, later, other } = yield* both(plain, fake)
        yield* confirmed(id, yield* isBack(id, plain, other))
        const isSwept = Effect.map(fateOf(earlier), (all) => all.join() === "SWEPT, null")
        yield* mineUntil(plain, "the first has moved them", isSwept)
        assert.deepStrictEqual(yield* fateOf(later), ["SWEEP_SIGNED open, null"])
        yield* ledgerHolds(id)
        isDeep = true
        const isOver = Effect.map(sweepsOf(id), (all) => all.every(({ closedAt }) => closedAt !== null))
        yield* mineUntil(plain, "all are over", isOver)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("is looked for at the first once the second is over, however seldom that is looked at", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      const { fateOf, id, later, other } = yield* both(fake, fake)
      yield* TestClock.adjust("10 minutes")
      yield* confirmed(id, yield* isBack(id, fake, other))
      const isGivenUp = Effect.map(fateOf(later), (all) => all.every((fate) => fate.startsWith("ABANDONED")))
      yield* mineUntil(fake, "the second is given up", isGivenUp)
      const isOver = Effect.map(sweepsOf(id), (all) => all.every(({ closedAt }) => closedAt !== null))
      yield* mineUntil(fake, "both are over", isOver, 10)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  const logging = (events: Array<string>) =>
    Logger.layer([Logger.make(({ message }) => void events.push(String(message)))])

  for (const order of ["before", "after"] as const)
    it.effect(
      `is counted as moved by the first, and nobody is called, where that is known ${order} the second is over`,
      () => {
        const events: Array<string> = []
        const plain = fakeNetwork({ network: "bitcoin", charges: true })
        let mayTell = order === "before"
        const fake = tellingLater(plain, () => mayTell)
        return Effect.gen(function* () {
          const { earlier, fateOf, id, keeper, later, other } = yield* both(plain, fake)
          yield* confirmed(id, yield* isBack(id, plain, other))
          if (order === "after") {
            yield* mineFor(plain, 60)
            assert.deepStrictEqual(yield* fateOf(later), ["ABANDONED open, Its transaction was replaced."])
            mayTell = true
          }
          const isOver = Effect.map(sweepsOf(id), (all) => all.every(({ closedAt }) => closedAt !== null))
          yield* mineUntil(plain, "all are over", isOver)
          assert.deepStrictEqual(yield* fateOf(earlier), ["SWEPT, null"])
          assert.deepStrictEqual(yield* fateOf(later), ["ABANDONED, Its transaction was replaced."])
          assert.include(
            earlier.map((sweep) => sweep.id),
            yield* keeper
          )
          assert.notInclude(events, "sweep.deposit_taken")
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(logging(events)), Effect.provide(processOver(emptyState(), fake)))
      }
    )

  it.effect("is told of as moved by somebody else where neither of the two has moved it", () => {
    const events: Array<string> = []
    const plain = fakeNetwork({ network: "bitcoin", charges: true })
    const fake = missingSpent(plain)
    return Effect.gen(function* () {
      const { fateOf, first, id, keeper, later } = yield* both(plain, fake)
      yield* moveAway(plain, first)
      yield* mineUntil(
        plain,
        "it is told",
        Effect.sync(() => events.includes("sweep.deposit_taken"))
      )
      assert.include(yield* fateOf(later), `ABANDONED, Somebody else has moved what deposit ${first.id} brought.`)
      assert.include(
        later.map((sweep) => sweep.id),
        yield* keeper
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(logging(events)), Effect.provide(processOver(emptyState(), fake)))
  })
})
