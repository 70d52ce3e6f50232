import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { holdByOperator, releaseByOperator, setSweepHold } from "@bursar/core/sweep/sweepHold"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import type { FakeAnswer } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { seeded } from "@bursar/testkit/fixtures/seeded"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Place, sweepPlaces } from "@bursar/testkit/fixtures/Places"
import { ledgerHolds, mineUntil, processOver, submit } from "../transactions/world.ts"
import {
  accountOf,
  arrive,
  arriving,
  ledgerAgrees,
  confirmed,
  custody,
  lost,
  movedOf,
  oneEach,
  type Swept,
  sweeping,
  sweepsOf,
  openSweepables
} from "./world.ts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"

/** How many lives are tried; more with CHAOS_SEEDS. */
const seeds = Number(process.env["CHAOS_SEEDS"] ?? "10")

const answers: ReadonlyArray<FakeAnswer> = ["takes", "takes", "loses_reply", "drops", "refuses"]

const networks: ReadonlyArray<Swept> = ["ethereum", "tron", "bitcoin", "stellar"]

const reached = new Set<Place>()

const addressCount = 5

/** When an address was held, and until when. */
interface Hold {
  readonly addressId: string
  readonly from: number
  to: number
}

describe("sweeping while everything goes wrong", () => {
  for (const network of networks) {
    for (let seed = 1; seed <= seeds; seed++) {
      it.effect(`moves what arrived once at most, and nothing that is held (${network}, seed ${seed})`, () => {
        const random = seeded(seed * 11 + network.length)
        const fake = fakeNetwork({ network, charges: true })
        const state = emptyState()
        const faulty = { now: true }
        /** Every now and then the process dies where it is. */
        const crash = (name: Place) =>
          Effect.suspend(() => {
            reached.add(name)
            return faulty.now && random(40) === 0 ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
          })
        /** Now and then nobody knows what anything is worth. */
        const price = (currency: string) => (faulty.now && random(8) === 0 ? null : oneEach(currency))
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { addresses, id } = yield* custody(network, fake, addressCount)
          const queries = yield* Queries
          const holds: Array<Hold> = []
          const heldNow = new Map<string, Hold>()
          const pending: Array<Deposit> = []
          const settled: Array<Deposit> = []
          const someAddress = (): DepositAddress => addresses[random(addresses.length)] as DepositAddress // there are some
          const start = Effect.suspend(() =>
            Effect.forkScoped(Effect.provide(sweeping(fake, crash, {}, price), processOver(state, fake)))
          )
          const hold = Effect.fnUntraced(function* (addressId: string) {
            if (heldNow.has(addressId)) return
            yield* submit(
              id,
              random(2) === 0
                ? holdByOperator(addressId, "looked at")
                : setSweepHold({ addressId, held: true, reason: "mine", seenThrough: null })
            )
            const one: Hold = { addressId, from: yield* Clock.currentTimeMillis, to: Number.POSITIVE_INFINITY }
            holds.push(one)
            heldNow.set(addressId, one)
          })
          const release = Effect.fnUntraced(function* (addressId: string) {
            const one = heldNow.get(addressId)
            if (one === undefined) return
            const [address] = yield* queries.addresses(id, {
              includeRetired: true,
              limit: 1,
              address: addresses.find((each) => each.id === addressId)?.address
            })
            yield* submit(
              id,
              address?.sweepHold?.kind === "OPERATOR"
                ? releaseByOperator(addressId)
                : setSweepHold({ addressId, held: false, reason: "seen", seenThrough: 1_000_000 })
            )
            one.to = yield* Clock.currentTimeMillis
            heldNow.delete(addressId)
          })
          // one is held from the beginning to the end
          const forever = addresses[0] as DepositAddress // there are some
          yield* hold(forever.id)
          let worker = yield* start
          for (let step = 0; step < 150; step++) {
            const now = yield* Clock.currentTimeMillis
            switch (random(14)) {
              case 0:
              case 1: {
                const currencies = arriving[network]
                const currency = currencies[random(currencies.length)] ?? currencies[0]
                pending.push(
                  yield* arrive(id, fake, someAddress(), currency, BigInt(1 + random(400)) * 50n, {
                    historical: random(5) === 0
                  })
                )
                break
              }
              case 2: {
                const next = pending.shift()
                if (next !== undefined) settled.push(yield* confirmed(id, next))
                break
              }
              case 3:
                fake.reorg(1 + random(3), random(2) === 0)
                break
              case 4:
                fake.forget()
                break
              case 5:
                fake.fail(random(4))
                break
              case 6:
                fake.answers(Array.from({ length: random(4) }, () => answers[random(answers.length)] ?? "takes"))
                break
              case 7: {
                const address = someAddress()
                if (address.id !== forever.id) yield* random(2) === 0 ? hold(address.id) : release(address.id)
                break
              }
              case 8: {
                // another process takes over while this one is still at work
                const next = yield* start
                yield* Fiber.interrupt(worker)
                worker = next
                break
              }
              case 9: {
                // a block is replaced before anybody counted on it
                const last = pending.at(-1)
                if (last === undefined || last.currency === "XLM" || random(3) !== 0) break
                pending.pop()
                yield* lost(id, fake, last)
                break
              }
              case 10: {
                // one is lost that was credited, unless something on the chain stands on it
                const last = settled.at(-1)
                const contract = defaultCurrencies.byCode(last?.currency ?? "")?.asset?.contract ?? null
                if (last === undefined || random(2) !== 0) break
                // stellar replaces no ledger, and the coins of the fake bitcoin are no more than sums
                if (network === "stellar" || network === "bitcoin") break
                if (fake.holds(accountOf(network, last.address), contract) < last.units + 100n) break
                if (movedOf(yield* sweepsOf(id)).includes(last.id)) break
                settled.pop()
                yield* lost(id, fake, last)
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
          for (const one of pending) settled.push(yield* confirmed(id, one))
          for (const address of addresses) if (address.id !== forever.id) yield* release(address.id)
          // one more, so that every address of stellar's account is looked at when all is quiet
          for (const { 1: address } of [addresses]) {
            if (address === undefined) continue
            const last = yield* arrive(id, fake, address, arriving[network][0], 50_000n)
            settled.push(yield* confirmed(id, last))
          }
          const worth = (deposit: Deposit): boolean => deposit.addressId !== forever.id
          const isDone = Effect.gen(function* () {
            const sweepables = yield* openSweepables(id)
            const sweeps = yield* sweepsOf(id)
            if (sweeps.some(({ closedAt }) => closedAt === null)) return false
            const swept = new Set(movedOf(sweeps))
            const left = settled.filter((deposit) => worth(deposit) && !swept.has(deposit.id))
            // what would cost too much stays, address by address
            const byAddress = Map.groupBy(left, ({ addressId, currency }) =>
              network === "stellar" || network === "bitcoin" ? currency : `${addressId}|${currency}`
            )
            const sums = [...byAddress.values()].map((all) => {
              const sum = all.reduce((units, one) => units + one.units, 0n)
              const contract = defaultCurrencies.byCode(all[0]?.currency ?? "")?.asset?.contract ?? null
              // what was signed for a deposit that is lost may have moved these in its stead
              const there = fake.holds(accountOf(network, all[0]?.address ?? ""), contract)
              return network === "ethereum" && there < sum ? there : sum
            })
            return sums.every((sum) => sum <= 100n) && sweepables.length >= settled.length
          })
          yield* mineUntil(fake, "all that is worth it was swept", isDone)
          // whatever was still to come has come by now
          for (let more = 0; more < 5; more++) fake.mine(yield* Clock.currentTimeMillis)
          const sweeps = yield* sweepsOf(id)
          const swept = movedOf(sweeps)
          assert.strictEqual(new Set(swept).size, swept.length, "a deposit was swept twice")
          for (const sweep of sweeps) {
            const transaction =
              sweep.sweepTransactionId === null
                ? undefined
                : yield* queries.record(id, OutboundTransaction, sweep.sweepTransactionId)
            const at = transaction?.signedAt ?? null
            if (at === null) continue
            const broken = holds.find(
              ({ addressId, from, to }) => addressId === sweep.addressId && from < at && at < to
            )
            assert.isUndefined(broken, `${sweep.address} was swept at ${at} while it was held`)
          }
          assert.isFalse(
            sweeps.some(({ addressId, state: stands }) => addressId === forever.id && stands === "SWEPT"),
            "what was held all the time was moved"
          )
          yield* ledgerHolds(id)
          yield* ledgerAgrees(network, fake, id, addresses)
        }).pipe(Effect.provide(processOver(state, fake)))
      })
    }
  }

  it("has come by every place at which sweeping can die", () => {
    assert.deepStrictEqual(
      sweepPlaces.filter((name) => !reached.has(name)),
      []
    )
  })
})
