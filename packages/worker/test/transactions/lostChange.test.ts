import { nothingUndecided } from "@bursar/core/deposit/undecided"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { ChainError } from "@bursar/core/port/Chain"
import type { StatusOrder } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { nextCheckAt } from "../../src/transactions/Send.ts"
import { defaultSendLimits } from "../../src/transactions/SendLimits.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { allOver, ledgerHolds, operationsOf, pay, payer, processOver, sending, submit, tick } from "./world.ts"

const transactionOf = Effect.fnUntraced(function* (
  tenantId: TenantId,
  isWanted: (one: OutboundTransaction) => boolean
) {
  const all = yield* (yield* Queries).records(tenantId, OutboundTransaction)
  return all.find(isWanted)
})

const waitFor = <A, E, R>(what: string, found: Effect.Effect<A | undefined, E, R>) =>
  Effect.gen(function* () {
    for (let left = 100; left > 0; left--) {
      const value = yield* found
      if (value !== undefined) return value
      yield* tick
    }
    return yield* Effect.die(new Error(`it never came true that ${what}`))
  })

/** A payout that spends the change of another one's first attempt, which is lost with its block. */
const payoutOfLostChange = Effect.fnUntraced(function* (fake: FakeSender) {
  const { id, wallet } = yield* payer("bitcoin", fake, 1)
  fake.answers(Array.from({ length: 1_000 }, () => "drops" as const))
  const worker = yield* Effect.forkScoped(sending(fake))
  yield* pay(id, "bitcoin", 1)
  const first = yield* waitFor(
    "it is signed",
    transactionOf(id, ({ hashes }) => hashes.length > 0)
  )
  const change = {
    network: "bitcoin" as const,
    txHash: first.hashes[0] ?? "",
    transferIndex: 1,
    walletId: wallet.id,
    address: wallet.address,
    paidTo: wallet.address,
    memo: null,
    currency: "BTC",
    units: 150_000n,
    fromAddress: wallet.address,
    block: { number: 2, hash: "change", time: yield* Clock.currentTimeMillis }
  }
  const incoming = yield* submit(id, recordWalletTransfers([change], presetNetworks))
  const confirmations = incoming.map((incomingTransfer) => ({ incomingTransfer, block: { hash: "change" } }))
  yield* submit(id, confirmWalletTransfers(confirmations, presetNetworks, nothingUndecided))
  const payout = yield* pay(id, "bitcoin", 2)
  const second = yield* waitFor(
    "the other is signed",
    transactionOf(id, (one) => one.id !== first.id && one.hashes.length > 0)
  )
  assert.deepInclude(second.guard, { _tag: "Utxos" })
  yield* Fiber.interrupt(worker)
  yield* submit(id, reorgWalletTransfers(confirmations, presetNetworks))
  return { id, first, second, payout }
})

it.effect("asks about the attempt that made the change, and fails the payout where that never comes", () => {
  const fake = fakeNetwork({ network: "bitcoin" })
  return Effect.gen(function* () {
    const { first, id, payout, second } = yield* payoutOfLostChange(fake)
    const asked: Array<StatusOrder> = []
    let isReplaced = false
    const status: FakeSender["sender"]["status"] = (order, attempts) => {
      if (!second.hashes.includes(attempts[0]?.hash ?? "")) return fake.sender.status(order, attempts)
      asked.push(order)
      if (isReplaced && order.madeBy !== undefined)
        return Effect.succeed({
          _tag: "Invalidated",
          reason: "replaced_on_chain",
          by: "another attempt",
          detail: "it has spent the coins of what made it",
          spent: order.guard._tag === "Utxos" ? order.guard.utxos : []
        })
      const detail = "neither unspent nor spent"
      return Effect.fail(new ChainError({ network: "bitcoin", reason: "absent", doing: "ask", detail }))
    }
    yield* Effect.forkScoped(sending({ ...fake, sender: { ...fake.sender, status } }))
    for (let seconds = 0; seconds < 30; seconds++) yield* tick
    assert.deepStrictEqual(
      (yield* operationsOf(id, [payout])).map(({ unresolved, status: now }) => [now, unresolved]),
      [["SENT", false]]
    )
    assert.deepStrictEqual(
      new Set(asked.map(({ madeBy }) => madeBy?.map(({ hash }) => hash).join())),
      new Set([undefined, first.hashes[0]])
    )
    isReplaced = true
    yield* waitFor(
      "it is over",
      Effect.map(allOver(id, [payout]), (isOver) => isOver || undefined)
    )
    assert.deepStrictEqual(
      (yield* operationsOf(id, [payout])).map(({ status: now }) => now),
      ["FAILED"]
    )
    yield* ledgerHolds(id)
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})

it.effect("is asked about ever less often where it was given up and its outputs are gone", () => {
  const fake = fakeNetwork({ network: "bitcoin" })
  return Effect.gen(function* () {
    const { second } = yield* payoutOfLostChange(fake)
    const waitOf = (givenUpAfter: number | null, ageMs: number) => {
      const transaction = { ...second, givenUpAfter, sentAt: 0 }
      // nothing else of it is looked at
      return nextCheckAt({ limits: defaultSendLimits } as Parameters<typeof nextCheckAt>[0], ageMs, transaction) - ageMs
    }
    const hours = 3_600_000
    assert.deepStrictEqual([waitOf(null, hours), waitOf(null, 100 * hours)], [60_000, 60_000])
    assert.deepStrictEqual(
      [waitOf(1, hours), waitOf(1, 4 * hours), waitOf(1, 100 * hours)],
      [hours / 8, hours / 2, hours]
    )
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})
