import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Operation } from "@bursar/core/operation/Operation"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { give, mineFor } from "./stumbling.ts"
import { operationsOf, pay, payer, processOver, receiver, sending, submit, tick } from "./world.ts"

const block = { number: 1, hash: "b1", time: 10 }

describe("the change of a payout that operators have assigned", () => {
  for (const signs of [true, false])
    it.effect(
      `is told of once evidence has settled that, where ${signs ? "its own reverts" : "nothing is signed"}`,
      () => {
        const plain = fakeNetwork({ network: "ethereum" })
        const prove = () => Effect.succeed({ verdict: "PROVEN", detail: "it paid that", fee: 7n } as const)
        const fake = { ...plain, sender: { ...plain.sender, prove } }
        const events: Array<string> = []
        const logged = Logger.layer([Logger.make(({ message }) => void events.push(String(message)))])
        const told = () => events.filter((event) => event === "suspense.assigned_own").length
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id, wallet } = yield* payer("ethereum", fake)
          const one = {
            ...{ network: "ethereum", txHash: "rival", transferIndex: 0, walletId: wallet.id, address: wallet.address },
            ...{ memo: null, paidTo: wallet.address, currency: "ETH", units: 7n, fromAddress: null, block }
          }
          const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
          const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
          const [arrival] = yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
          yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: arrival?.bookedBy ?? null }))
          const made = yield* pay(id, "ethereum", 1)
          if (!signs) {
            const payout = yield* (yield* Queries).record(id, Payout, made.id)
            if (payout === undefined) return assert.fail("there is no payout")
            yield* submit(id, holdSignedBefore({ payout, hashes: ["rival"], currencies: defaultCurrencies }))
          }
          plain.revertOn(receiver("ethereum", 1))
          yield* Effect.forkScoped(sending(fake))
          for (let n = 0; n < 3; n++) yield* tick
          assert.strictEqual(told(), 0)
          assert.strictEqual(yield* give(id, made, "rival"), "given")
          yield* mineFor(plain, 20)
          const [settled] = yield* operationsOf(id, [made])
          assert.deepInclude(settled, { status: "SETTLED", txHash: "rival" })
          assert.strictEqual(told(), 1)
          const [change] = yield* (yield* Queries).records(id, Operation, "rival")
          assert.include(change?.details.contradiction?.said, "no new money came")
        }).pipe(Effect.provide(processOver(emptyState(), plain)), Effect.provide(logged))
      }
    )

  it.effect("is told of where suspense is short of it, as an adjustment has credited it without naming it", () => {
    const plain = fakeNetwork({ network: "ethereum" })
    const prove = () => Effect.succeed({ verdict: "PROVEN", detail: "it paid that", fee: 7n } as const)
    const fake = { ...plain, sender: { ...plain.sender, prove } }
    const lines: Array<string> = []
    const logged = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
    const told = () => lines.filter((line) => line.includes("operation.contradicted"))
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id, wallet } = yield* payer("ethereum", fake)
      const one = {
        ...{ network: "ethereum", txHash: "rival", transferIndex: 0, walletId: wallet.id, address: wallet.address },
        ...{ memo: null, paidTo: wallet.address, currency: "ETH", units: 7n, fromAddress: null, block }
      }
      const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
      const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
      yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
      yield* submit(id, adjust(7n, "ETH", { against: "suspense" }))
      const made = yield* pay(id, "ethereum", 1)
      plain.revertOn(receiver("ethereum", 1))
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 3; n++) yield* tick
      assert.deepStrictEqual(told(), [])
      assert.strictEqual(yield* give(id, made, "rival"), "given")
      yield* mineFor(plain, 20)
      assert.lengthOf(told(), 1)
      assert.include(told()[0], "suspense is short of it")
    }).pipe(Effect.provide(processOver(emptyState(), plain)), Effect.provide(logged))
  })
})
