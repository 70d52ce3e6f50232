import { CannotBuild } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import type { FakeAnswer } from "@bursar/testkit/fixtures/FakeSender"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineUntil, allOver, operationsOf, pay, payer, processOver, sending, tick } from "./world.ts"

it.effect("sends the same bytes again to a node that does not have them, where no replacement can be built", () => {
  const fake = fakeNetwork({ network: "ethereum", replaceAfterMs: 20_000 })
  const { sender } = fake
  const poor = new CannotBuild({
    network: "ethereum",
    reason: "insufficient_wallet",
    detail: "too little for a higher fee",
    missing: null
  })
  const unable = {
    ...fake,
    sender: { ...sender, build: (order) => (order.replacing === null ? sender.build(order) : Effect.fail(poor)) }
  } satisfies typeof fake
  return Effect.gen(function* () {
    const { id } = yield* payer("ethereum", fake)
    const made = yield* pay(id, "ethereum", 0)
    fake.answers(Array.from({ length: 1_000 }, (): FakeAnswer => "drops"))
    yield* Effect.forkScoped(sending(unable))
    for (let seconds = 0; seconds < 30; seconds++) yield* tick
    fake.answers([])
    yield* mineUntil(fake, "the payout is over", allOver(id, [made]))
    assert.deepStrictEqual(
      (yield* operationsOf(id, [made])).map(({ status }) => status),
      ["SETTLED"]
    )
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})
