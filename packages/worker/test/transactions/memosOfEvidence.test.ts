import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { createPayout } from "@bursar/core/payout/createPayout"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { Payout } from "@bursar/core/payout/Payout"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Memo } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { typedMemo } from "@bursar/core/port/MemoText"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { give, mineFor } from "./stumbling.ts"
import { ledgerHolds, operationsOf, payer, processOver, sending, submit } from "./world.ts"

const lost = "lost"

/** Whether a claim names a memo, as stellar reads it: of any type, unless the claim has a type in front. */
const isClaimed = (claimed: string, memo: Memo): boolean => {
  const typed = typedMemo(claimed)
  return memo.value === (typed?.value ?? claimed) && memo.type === (typed?.type ?? memo.type)
}

/** A network whose chain has `lost`, which paid whoever is asked about with this memo. */
const paidWith = (onChain: Memo): FakeSender => {
  const fake = fakeNetwork({ network: "stellar" })
  const prove = ({ memo }: Claimed) =>
    Effect.succeed<Proof>(
      memo !== null && isClaimed(memo, onChain)
        ? { verdict: "PROVEN", detail: "it paid", fee: 7n }
        : { verdict: "NOT_PROVEN", reason: "The memo was another." }
    )
  return { ...fake, sender: { ...fake.sender, prove } }
}

/** A payout to the exchange with a memo. */
const toExchange = Effect.fnUntraced(function* (tenantId: TenantId, memo: Memo) {
  const key = `${memo.type}:${memo.value}`
  let made: Operation | undefined
  const command = createPayout({
    order: { network: "stellar", currency: "XLM", contract: null, units: 10_000n, to: "exchange", memo },
    account: "exchange",
    reference: key,
    tenant: null,
    defaultFees: [flatFee(10n, 7)],
    usd: null,
    switchedOff: null,
    evidence: { keyid: "k", signatureBase: key, signature: "s", body: "e30=" },
    madeBy: "maker",
    currencies
  })
  const render = (operation: Operation) => {
    made = operation
    return { id: operation.id }
  }
  const request = { key, endpoint: "POST /v1/chain-payouts", fingerprint: key }
  yield* submit(tenantId, idempotent({ ...request, render, resourceId: ({ id }) => id, command }))
  return made ?? assert.fail("refused")
})

/** Payouts to one account with these memos, whose operator was told of one transaction that only the signer knows. */
const told = Effect.fnUntraced(function* (fake: FakeSender, memos: ReadonlyArray<Memo>) {
  const { id } = yield* payer("stellar", fake)
  const made = yield* Effect.forEach(memos, (memo) => toExchange(id, memo))
  for (const { id: operationId } of made) {
    const payout = (yield* (yield* Queries).record(id, Payout, operationId)) ?? assert.fail("no payout")
    yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
  }
  return { id, made }
})

const statusesOf = (id: TenantId, made: ReadonlyArray<Operation>) =>
  Effect.map(operationsOf(id, made), (all) => all.map(({ status }) => status))

describe("a transaction that is given as evidence for a payout with a memo", () => {
  for (const memo of [
    { type: "text", value: "id:42" },
    { type: "text", value: "thanks" },
    { type: "id", value: "42" }
  ] as const)
    it.effect(`settles the payout with the ${memo.type} ${memo.value} that it has made`, () => {
      const fake = paidWith(memo)
      return Effect.gen(function* () {
        const { id, made } = yield* told(fake, [memo])
        yield* Effect.forkScoped(sending(fake))
        for (const one of made) assert.strictEqual(yield* give(id, one, lost), "given")
        yield* mineFor(fake, 5)
        assert.deepStrictEqual(yield* statusesOf(id, made), ["SETTLED"])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("does not settle the one with the text 42 where it paid the id 42, but the one with that", () => {
    const id42: Memo = { type: "id", value: "42" }
    const fake = paidWith(id42)
    return Effect.gen(function* () {
      const { id, made } = yield* told(fake, [{ type: "text", value: "42" }, id42])
      yield* Effect.forkScoped(sending(fake))
      for (const one of made) {
        assert.strictEqual(yield* give(id, one, lost), "given")
        yield* mineFor(fake, 5)
      }
      assert.deepStrictEqual(yield* statusesOf(id, made), ["IN_REVIEW", "SETTLED"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
