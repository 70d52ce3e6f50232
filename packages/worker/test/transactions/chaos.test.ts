import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeAnswer, FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { seeded } from "@bursar/testkit/fixtures/seeded"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sendingPlaces, type Place } from "@bursar/testkit/fixtures/Places"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  type Tested,
  timesPaid
} from "./world.ts"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Payout } from "@bursar/core/payout/Payout"

const answers: ReadonlyArray<FakeAnswer> = ["takes", "takes", "loses_reply", "drops", "refuses"]

const networks: ReadonlyArray<Tested> = ["ethereum", "tron", "bitcoin", "stellar"]

/** How many lives are tried per network; more with CHAOS_SEEDS. */
const seeds = Number(process.env["CHAOS_SEEDS"] ?? "16")

const reached = new Set<Place>()

/** What every coin of a wallet holds, and so a payout that needs several. */
const coinUnits = 200_000n

/** How many coins were free again of outbound transactions that a foreign transaction had taken others of. */
let freed = 0

/** Every coin is free or spent as the chain has it, and so it was seen where a foreign transaction took some of several. */
const utxosAsOnChain = Effect.fnUntraced(function* (tenantId: TenantId, fake: FakeSender) {
  const queries = yield* Queries
  for (const utxo of yield* queries.records(tenantId, WalletUtxo))
    assert.strictEqual(utxo.state, fake.isSpent(utxo) ? "SPENT" : "FREE", `${utxo.txHash}:${utxo.vout}`)
  freed += (yield* queries.records(tenantId, OutboundTransaction)).flatMap((transaction) => transaction.freed).length
})

describe("sending while everything goes wrong", () => {
  for (const network of networks) {
    for (let seed = 1; seed <= seeds; seed++) {
      it.effect(`pays each payout once or never, and brings all to an end (${network}, seed ${seed})`, () => {
        const random = seeded(seed * 7 + network.length)
        const fake = fakeNetwork({ network, paymentsMax: network === "bitcoin" ? 5 : 1 })
        const state = emptyState()
        const faulty = { now: true }
        /** Every now and then the process dies where it is. */
        const crash = (name: Place) =>
          Effect.suspend(() => {
            reached.add(name)
            return faulty.now && random(40) === 0 ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
          })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer(network, fake, 120)
          const made: Array<Operation> = []
          const robbed = new Set<string>()
          // on bitcoin many need several coins
          const amount = () => 10_000n + (network === "bitcoin" ? BigInt(random(3)) * coinUnits : 0n)
          fake.refuse(receiver(network, 5), "asked")
          fake.refuse(receiver(network, 7), "built")
          fake.revertOn(receiver(network, 6))
          const start = Effect.suspend(() =>
            Effect.forkScoped(
              Effect.provide(sending(fake, crash, { transactionsAtOnce: 1 + random(8) }), processOver(state, fake))
            )
          )
          let worker = yield* start
          for (let step = 0; step < 120; step++) {
            const now = yield* Clock.currentTimeMillis
            switch (random(12)) {
              case 0:
              case 1:
                if (made.length < 20) made.push(yield* pay(id, network, made.length, amount()))
                break
              case 2:
                fake.reorg(1 + random(3), random(2) === 0)
                break
              case 3:
                fake.forget()
                break
              case 4:
                fake.fail(random(4))
                break
              case 5:
                fake.answers(Array.from({ length: random(4) }, () => answers[random(answers.length)] ?? "takes"))
                break
              case 6: {
                const other = fake.waiting()[0]
                if (other === undefined || other.guard._tag === "Expiry" || random(4) !== 0) break
                if (other.guard._tag === "Sequence") {
                  fake.rival(other.guard, now)
                  break
                }
                // what two have taken in part, of which one was undone, would rightly stay spent
                const keys = other.guard.utxos.map(({ txHash, vout }) => `${txHash}:${vout}`)
                if (keys.some((key) => robbed.has(key))) break
                for (const key of keys) robbed.add(key)
                const some = other.guard.utxos.slice(0, 1 + random(keys.length))
                fake.rival({ _tag: "Utxos", utxos: some }, now)
                break
              }
              case 7: {
                const one = made[random(Math.max(1, made.length))]
                const queries = yield* Queries
                const payout = one && (yield* queries.record(id, Payout, one.id))
                if (payout === undefined || random(3) !== 0) break
                const transaction =
                  payout.transactionId === null
                    ? undefined
                    : yield* queries.record(id, OutboundTransaction, payout.transactionId)
                const cancel = cancelPayout({ payout, transaction, by: "operator", currencies: defaultCurrencies })
                yield* Effect.ignore(submit(id, cancel))
                break
              }
              case 8: {
                // another process takes over while this one is still at work
                const next = yield* start
                yield* Fiber.interrupt(worker)
                worker = next
                break
              }
              default:
                fake.mine(now)
            }
            yield* TestClock.adjust(`${random(3) * 700} millis`)
            yield* Effect.forEach(Array.from({ length: random(60) }), () => Effect.yieldNow, { discard: true })
          }
          faulty.now = false
          fake.fail(0)
          fake.answers([])
          while (made.length < 8) made.push(yield* pay(id, network, made.length))
          yield* mineUntil(fake, "all payouts are over", allOver(id, made))
          // whatever was still to come has come by now
          for (let more = 0; more < 5; more++) fake.mine(yield* Clock.currentTimeMillis)
          for (const [n, operation] of (yield* operationsOf(id, made)).entries()) {
            const expected = operation.status === "SETTLED" ? 1 : 0
            assert.strictEqual(timesPaid(fake, receiver(network, n)), expected, `payout ${n} is ${operation.status}`)
            assert.isFalse(operation.unresolved)
          }
          yield* ledgerHolds(id)
          if (network === "bitcoin") yield* utxosAsOnChain(id, fake)
        }).pipe(Effect.provide(processOver(state, fake)))
      })
    }
  }

  it("has come by every place at which a process can die", () => {
    assert.deepStrictEqual([...reached].toSorted(), [...sendingPlaces].toSorted())
  })

  it("has given back coins that a foreign transaction left", () => {
    assert.isAbove(freed, 0)
  })
})
