import { emptyState } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { allOver, ledgerHolds, mineUntil, operationsOf, pay, payer, processOver, sending } from "./world.ts"

it.effect("a bitcoin payout that is larger than the wallet keeps no smaller one waiting", () => {
  const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 100 })
  return Effect.gen(function* () {
    yield* TestClock.setTime(1_700_000_000_000)
    // six UTXOs of 200,000 satoshi: the float is larger, as it stands on addresses or at the custodian as well
    const { id } = yield* payer("bitcoin", fake, 6)
    const large = yield* pay(id, "bitcoin", 9, 5_000_000n)
    const small = yield* Effect.forEach([1, 2, 3], (n) => pay(id, "bitcoin", n))
    yield* Effect.forkScoped(sending(fake))
    yield* mineUntil(fake, "the others are over", allOver(id, small))
    const [first, ...others] = yield* operationsOf(id, [large, ...small])
    assert.deepInclude(first, { status: "ACCEPTED" })
    assert.deepStrictEqual(
      others.map(({ status }) => status),
      ["SETTLED", "SETTLED", "SETTLED"]
    )
    yield* ledgerHolds(id)
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})
