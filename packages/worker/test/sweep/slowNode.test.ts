import type { ChainSender } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

/** A network of which a node keeps questions about one address waiting until it is told to answer. */
const slowly = (slow: (sender: ChainSender, until: (account: string) => Effect.Effect<void>) => ChainSender) => {
  const fake = fakeNetwork({ network: "ethereum", charges: true })
  const answers = Deferred.makeUnsafe<void>()
  let about: string | undefined
  let asked = 0
  const until = (account: string) =>
    Effect.suspend(() => {
      if (account !== about) return Effect.void
      asked += 1
      return Deferred.await(answers)
    })
  return {
    fake: { ...fake, sender: slow(fake.sender, until) } satisfies FakeSender,
    keepWaiting: (account: string) => void (about = account),
    answer: Deferred.succeed(answers, undefined),
    asked: () => asked
  }
}

const questions: ReadonlyArray<readonly [string, Parameters<typeof slowly>[0]]> = [
  [
    "how it would be swept",
    (sender, until) => ({
      ...sender,
      planner: {
        ...sender.planner,
        sweep: (question) => Effect.andThen(until(question.account), sender.planner.sweep(question))
      }
    })
  ],
  [
    "whether it has what it was given",
    (sender, until) => ({
      ...sender,
      balance: (account, contract) => Effect.andThen(until(account), sender.balance(account, contract))
    })
  ]
]

const elsewhere = { from: 1, address: "0x00000000000000000000000000000000000000A1" }

describe("a node that keeps a question about one address waiting", () => {
  for (const [what, slow] of questions)
    it.effect(`keeps nobody else's deposits from being swept, and is asked once meanwhile: ${what}`, () => {
      const { answer, asked, fake, keepWaiting } = slowly(slow)
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const other = yield* custody("ethereum", fake, 1, {}, elsewhere)
        const [address] = addresses
        const [otherAddress] = other.addresses
        if (address === undefined || otherAddress === undefined) return assert.fail("no address")
        keepWaiting(address.address)
        yield* Effect.forkScoped(sweeping(fake))
        yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
        yield* mineUntil(
          fake,
          "the node keeps it waiting",
          Effect.sync(() => asked() > 0),
          60
        )
        yield* confirmed(other.id, yield* arrive(other.id, fake, otherAddress, "USDT_ETH", 5_000n))
        const isSwept = (tenantId: typeof id) =>
          Effect.map(sweepsOf(tenantId), (sweeps) => sweeps.some(({ state }) => state === "SWEPT"))
        yield* mineUntil(fake, "the other's is swept", isSwept(other.id), 120)
        assert.strictEqual(asked(), 1)
        assert.isFalse(yield* isSwept(id))
        yield* answer
        yield* mineUntil(fake, "it is swept", isSwept(id))
        for (const one of [id, other.id]) yield* ledgerHolds(one)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})
