import { putRecord } from "@bursar/core/engine/Records"
import { evidenceKey, PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineFor, type Ports } from "./stumbling.ts"
import { ledgerHolds, operationsOf, pay, payer, processOver, receiver, sending, submit } from "./world.ts"

const network = "ethereum"
const given = "0xgiven"

describe("a payout whose receiver can never be paid", () => {
  for (const [what, isGiven] of [
    ["fails, and that is logged", false],
    ["is left alone where evidence was given meanwhile, and nothing is logged", true]
  ] as const)
    it.effect(what, () => {
      const fake = fakeNetwork({ network })
      const events: Array<string> = []
      const logged = Logger.layer([Logger.make(({ message }) => void events.push(String(message)))])
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const ports = yield* Effect.context<Ports>()
        const { id } = yield* payer(network, fake)
        const made = yield* pay(id, network, 1)
        const evidence: PayoutEvidence = {
          ...{ key: evidenceKey(network, given, ""), operationId: made.id, network, txHash: given, note: "" },
          ...{ givenBy: "ann", givenAt: 1_700_000_000_000, found: "", checkedAt: 0, fee: null },
          ...{ sharedCount: 0, costBorneBy: null },
          verdict: "NOT_FINAL"
        }
        // while the node is asked about the receiver
        const give = submit(
          id,
          writing(() => [putRecord(PayoutEvidence, evidence)])
        )
        const asking: FakeSender = {
          ...fake,
          sender: {
            ...fake.sender,
            preflight: (payment) =>
              (isGiven ? Effect.orDie(Effect.provideContext(give, ports)) : Effect.void).pipe(
                Effect.andThen(fake.sender.preflight(payment))
              )
          }
        }
        fake.refuse(receiver(network, 1), "asked")
        yield* Effect.forkScoped(sending(asking))
        yield* mineFor(fake, 3)
        const [after] = yield* operationsOf(id, [made])
        assert.strictEqual(after?.status, isGiven ? "ACCEPTED" : "FAILED")
        assert.strictEqual(events.includes("payout.abandoned"), !isGiven)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)), Effect.provide(logged))
    })
})
