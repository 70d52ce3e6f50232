import { checkTenant } from "@bursar/core/checker/checkTenant"
import { putRecord } from "@bursar/core/engine/Records"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { releaseSpend } from "@bursar/core/outbound/releaseSpend"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { Books } from "@bursar/core/port/Books"
import type { Fate } from "@bursar/core/port/ChainSender"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepted,
  booksHold,
  fated,
  finalOf,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  usdt
} from "../outbound/world.ts"

const expired: Fate = { _tag: "Impossible", reason: "expired_unsent", by: null, detail: "" }

/** A payout of a network on which what was signed expires, where nothing but the expiry is the token. */
const onTron = Effect.gen(function* () {
  const { id, wallet } = yield* payer({}, "tron")
  const contract = defaultCurrencies.byCode("USDT_TRON")?.asset?.contract ?? null
  const order = usdt({ network: "tron", currency: "USDT_TRON", contract })
  const operation = yield* accepted(id, { order })
  /** Puts it into a spend, and signs that. */
  const attempt = (hash: string) =>
    Effect.flatMap(reserved(id, wallet, [operation], { _tag: "Expiry" }), (spend) => signed(id, spend, hash))
  const payout = Effect.map(stateOf(id, operation.id), (one) => one.payout)
  return { attempt, id, operation, payout, wallet }
})

describe("a payout that is tried again", () => {
  it.effect("names the spends that it was in before, in order, besides the newest", () =>
    Effect.gen(function* () {
      const { attempt, id, payout } = yield* onTron
      const one = yield* attempt("0x1")
      assert.deepInclude(yield* payout, { spendId: one.id, earlierSpends: [] })
      yield* fated(id, one, expired)
      assert.deepInclude(yield* payout, { spendId: null, earlierSpends: [one.id] })
      yield* booksHold(id)
      const two = yield* attempt("0x2")
      yield* fated(id, two, expired)
      const three = yield* attempt("0x3")
      yield* fated(id, three, finalOf("0x3"))
      assert.deepInclude(yield* payout, { phase: "FINAL", spendId: three.id, earlierSpends: [one.id, two.id] })
      yield* booksHold(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("does not name one for which nothing was signed", () =>
    Effect.gen(function* () {
      const { attempt, id, operation, payout, wallet } = yield* onTron
      const first = yield* attempt("0x1")
      yield* fated(id, first, expired)
      const spend = yield* reserved(id, wallet, [operation], { _tag: "Expiry" })
      const outcome = { _tag: "Requeue", reason: "insufficient_wallet", detail: "", at: 0, alone: false } as const
      yield* submit(id, releaseSpend({ spend, outcome, currencies: defaultCurrencies }))
      assert.deepInclude(yield* payout, { spendId: null, earlierSpends: [first.id] })
      yield* booksHold(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps them when it is cancelled in between, and the last beside them when it is given up", () =>
    Effect.gen(function* () {
      const cancelled = yield* onTron
      const first = yield* cancelled.attempt("0x1")
      yield* fated(cancelled.id, first, expired)
      const cancel = { payout: yield* cancelled.payout, spend: undefined, by: "otto", currencies: defaultCurrencies }
      yield* submit(cancelled.id, cancelPayout(cancel))
      assert.deepInclude(yield* cancelled.payout, { spendId: null, earlierSpends: [first.id] })
      yield* booksHold(cancelled.id)
      const lost = yield* onTron
      const spends: Array<string> = []
      for (const hash of ["0x1", "0x2", "0x3"]) {
        const spend = yield* lost.attempt(hash)
        spends.push(spend.id)
        yield* fated(lost.id, spend, expired)
      }
      assert.strictEqual((yield* stateOf(lost.id, lost.operation.id)).operation.status, "FAILED")
      assert.deepInclude(yield* lost.payout, { spendId: spends[2] ?? null, earlierSpends: spends.slice(0, 2) })
      yield* booksHold(lost.id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is wrong to the checker where it leaves one out, or names one that has not expired", () =>
    Effect.gen(function* () {
      const { attempt, id, operation, payout } = yield* onTron
      const one = yield* attempt("0x1")
      yield* fated(id, one, expired)
      const two = yield* attempt("0x2")
      const firstWrong = Effect.gen(function* () {
        const results = yield* (yield* Books).snapshot(id, checkTenant)
        return results.find(({ pass }) => pass === "payouts")?.firstWrong
      })
      const record = yield* payout
      for (const [earlierSpends, said] of [
        [[], "none"],
        [[one.id, two.id], `${one.id}, ${two.id}`]
      ] as const) {
        yield* submit(
          id,
          writing(() => [putRecord("Payout", { ...record, earlierSpends })])
        )
        assert.strictEqual(
          yield* firstWrong,
          `payout ${operation.id} was in ${said} before, the spends of it that expired are ${one.id}`
        )
      }
    }).pipe(Effect.provide(store))
  )
})
