import { ChainError, type Tip } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { poolSender } from "../../src/nodes/poolSender.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

const tip: Tip = {
  latest: { number: 1_000_000, hash: "0xtip", parentHash: "0xparent", time: 1_700_000_000_000 },
  confirmed: 1_000_000
}

const unreachable = new ChainError({ network: "ethereum", reason: "unreachable", doing: "count", detail: "silent" })

/** What a node says of the next number of an account, once an account of the service has used one. */
const counts: Readonly<Record<string, ChainSender["firstSequence"]>> = {
  "is behind": () => Effect.succeed(0n),
  "does not answer": () => Effect.fail(unreachable)
}

/** A network with nodes of two operators, the second of which counts as it is told. */
const counting = (second: { counts: ChainSender["firstSequence"] | undefined }) => {
  const fake = fakeNetwork({ network: "ethereum", charges: true })
  const reader = { ...makeFakeChain({ network: "ethereum" }).reader, tip: Effect.succeed(tip) }
  const firstSequence: ChainSender["firstSequence"] = (account) => (second.counts ?? fake.sender.firstSequence)(account)
  const sender = poolSender([
    { reader, sender: fake.sender, operator: "one" },
    { reader, sender: { ...fake.sender, firstSequence }, operator: "two" }
  ])
  return { ...fake, sender }
}

describe("a node of another operator", () => {
  for (const [what, count] of Object.entries(counts)) {
    it.effect(`that ${what} holds up no sweep of an account whose number the service has counted`, () => {
      const second: { counts: ChainSender["firstSequence"] | undefined } = { counts: undefined }
      const fake = counting(second)
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const [address] = addresses
        if (address === undefined) return assert.fail("no address")
        yield* Effect.forkScoped(sweeping(fake))
        const sweptAfter = Effect.gen(function* () {
          yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
          for (let n = 0; n < 120; n++) {
            fake.mine(yield* Clock.currentTimeMillis)
            yield* tick
          }
          return (yield* sweepsOf(id)).filter(({ state }) => state === "SWEPT").length
        })
        assert.strictEqual(yield* sweptAfter, 1)
        second.counts = count
        assert.strictEqual(yield* sweptAfter, 2)
        return undefined
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
