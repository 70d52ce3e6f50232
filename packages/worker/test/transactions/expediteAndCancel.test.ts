import type { Command } from "@bursar/core/engine/Command"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { Payout } from "@bursar/core/payout/Payout"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf as statesOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit,
  type Tested,
  tick,
  timesPaid
} from "./world.ts"

type Ports = Layer.Success<ReturnType<typeof processOver>>

/** Where a sender comes by once something is signed. */
const places: ReadonlyArray<Place> = [
  "sign.after",
  "signed.stored",
  "broadcast.before",
  "broadcast.after",
  "broadcast.stored"
]

const look = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const queries = yield* Queries
  const payout = yield* queries.record(tenantId, Payout, id)
  if (payout === undefined) return assert.fail("there is no such payout")
  const { transactionId } = payout
  const transaction =
    transactionId === null ? undefined : yield* queries.record(tenantId, OutboundTransaction, transactionId)
  return { payout, transaction }
})

describe("a payout that some operators hasten and another cancels while it is sent", () => {
  for (const network of ["ethereum", "tron", "bitcoin", "stellar"] satisfies ReadonlyArray<Tested>)
    for (const place of places)
      it.effect(`is paid once or cancelled, whoever comes first, each time (${network}, at ${place})`, () => {
        const fake = fakeNetwork({ network })
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer(network, fake)
          const made = yield* pay(id, network, 1)
          let came = 0
          const all = Effect.gen(function* () {
            came += 1
            const read = yield* look(id, made)
            const askedAt = yield* Clock.currentTimeMillis
            const cancel = cancelPayout({ ...read, askedAt, by: "ann", currencies: defaultCurrencies })
            // all have read the same, and reach the storage at once; what does not fit any more is refused
            const commands: ReadonlyArray<Command<unknown>> = [
              expeditePayout({ ...read, request: "BUMP" }),
              cancel,
              expeditePayout({ ...read, request: "REBROADCAST" }),
              cancel,
              expeditePayout({ ...read, request: "BUMP" })
            ]
            yield* Effect.forEach(commands, (command) => Effect.ignore(submit(id, command)), {
              concurrency: "unbounded"
            })
          })
          const ports = yield* Effect.context<Ports>()
          // at the place, and at the two times after that when a sender comes by it
          const visit = (name: Place) =>
            Effect.suspend(() =>
              name === place && came < 3 ? Effect.asVoid(Effect.orDie(Effect.provideContext(all, ports))) : Effect.void
            )
          yield* Effect.forkScoped(sending(fake, visit))
          yield* tick
          const next = yield* pay(id, network, 2)
          yield* mineUntil(fake, "both are over", allOver(id, [made, next]))
          for (let left = 90; left > 0; left--) {
            fake.mine(yield* Clock.currentTimeMillis)
            yield* tick
          }
          assert.isAbove(came, 0)
          const [over, after] = yield* statesOf(id, [made, next])
          const paid = timesPaid(fake, receiver(network, 1))
          if (over?.status === "SETTLED") assert.strictEqual(paid, 1)
          else {
            assert.strictEqual(over === undefined ? null : payoutDetails(over).failureReason, "cancelled_by_operator")
            assert.strictEqual(paid, 0)
          }
          assert.strictEqual(after?.status, "SETTLED")
          assert.strictEqual(timesPaid(fake, receiver(network, 2)), 1)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
})
