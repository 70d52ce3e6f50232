import type { View } from "@bursar/core/engine/View"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { reviewValues, saysReview } from "@bursar/core/grant/reviewByGrants"
import { readGrant } from "@bursar/core/grant/GrantDocument"
import type { Ruling } from "@bursar/core/grant/Ruling"
import { unansweredKey, unreviewed } from "@bursar/core/leaving/unreviewed"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import type { Operation } from "@bursar/core/operation/Operation"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import { newOperation } from "@bursar/core/operation/newOperation"
import { SigningKey } from "@bursar/core/signature/SigningKey"
import { quoteKeptMs, quoteOvertaken } from "@bursar/core/leaving/quoteOvertaken"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { signingKey, world } from "../grant/chain.ts"

const tenant: Tenant = {
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "LIVE",
  status: "ACTIVE",
  policy: defaultPolicy,
  createdAt: 0
}

// all of a view that a new operation takes
const view = { now: proposedAt, newId: () => crypto.randomUUID(), tenant } as unknown as View

const dollars = 1_000_000n

/** An operation of as many dollars. */
const worth = (units: bigint, patch: Partial<Operation> = {}): Operation => ({
  ...newOperation(view, {
    kind: "WITHDRAWAL",
    status: "ACCEPTED",
    amount: { units: units * dollars, currency: "USDC_BASE" },
    network: "base",
    provider: "fake",
    details: { destination: { address: `0x${"aa".repeat(20)}`, memo: null } }
  }),
  ...patch
})

const price = (units: bigint) => ({
  currencies: defaultCurrencies,
  usd: new Map([["USDC_BASE", { price: { units, decimals: 2 }, source: "test", observedAt: proposedAt }]])
})

const par = price(100n)
const unknown = { ...par, usd: new Map() }

/** A tenant of which people look at what is worth a thousand dollars and more. */
const reviewing = Effect.fnUntraced(function* (reviewUsd: string | null = "1000") {
  const all = yield* world()
  const policy = { ...defaultPolicy, withdrawalReviewUsd: reviewUsd, payoutReviewUsd: reviewUsd }
  const two = [all.ann, all.bob]
  yield* all.grant("policy", policyValues({ kind: "LIVE", policy }), two)
  const reasonOf = (operation: Operation, valued = par) =>
    unreviewed(operation, { ruling: all.chain(), valued, now: proposedAt })?.reason
  const approve = (operation: Operation) => all.grant("review", reviewValues(operation), two)
  return { ...all, approve, reasonOf, two }
})

describe("what is about to leave without a review", () => {
  it.effect("is held from the granted threshold on, until people approve that very operation", () =>
    Effect.gen(function* () {
      const { ann, approve, grant, reasonOf } = yield* reviewing()
      const [large, other] = [worth(1_000n), worth(1_000n)]
      assert.isUndefined(reasonOf(worth(999n)))
      assert.strictEqual(reasonOf(large), "review_not_granted")
      assert.strictEqual((yield* Effect.exit(grant("review", reviewValues(large), [ann])))._tag, "Failure")
      yield* approve(large)
      assert.isUndefined(reasonOf(large))
      assert.strictEqual(reasonOf(other), "review_not_granted")
      assert.strictEqual(reasonOf({ ...large, id: other.id }), "review_not_granted")
      // people may say so again: a newer reason to look needs a newer approval
      yield* approve(large)
      assert.isUndefined(reasonOf(large))
    })
  )

  it.effect("is never approved by a row, and where no grants are, the rows decide", () =>
    Effect.gen(function* () {
      const { reasonOf } = yield* reviewing()
      const operation = worth(5_000n)
      const review = { state: "APPROVED", by: "grant:2", at: proposedAt + 1 } as const
      assert.strictEqual(reasonOf({ ...operation, details: { ...operation.details, review } }), "review_not_granted")
      assert.isUndefined(unreviewed(operation, { ruling: undefined, valued: par, now: proposedAt }))
      assert.isUndefined((yield* reviewing(null)).reasonOf(operation))
    })
  )

  it.effect("is priced by whoever sends it; a row makes it dearer and never cheaper", () =>
    Effect.gen(function* () {
      const { reasonOf } = yield* reviewing()
      const accepted = (cents: string, units = 1_000n) => {
        const operation = worth(units)
        return { ...operation, details: { ...operation.details, usd_cents: cents } } as Operation // details of a withdrawal
      }
      assert.strictEqual(reasonOf(accepted("1")), "review_not_granted")
      // the price fell since: that of its acceptance counts
      assert.strictEqual(reasonOf(accepted("100000"), price(50n)), "review_not_granted")
      // who rewrites that, too, sends what is worth less than people look at
      assert.isUndefined(reasonOf(accepted("1"), price(50n)))
      assert.strictEqual(reasonOf(accepted("1", 600n), price(200n)), "review_not_granted")
    })
  )

  it.effect("waits for a price where none is known, but for what is reviewed whatever it is worth", () =>
    Effect.gen(function* () {
      const { approve, reasonOf } = yield* reviewing()
      const operation = worth(1n)
      assert.strictEqual(reasonOf(operation, unknown), "price_unavailable")
      const stale = new Map([...par.usd].map(([code, rate]) => [code, { ...rate, observedAt: 0 }] as const))
      assert.strictEqual(reasonOf(operation, { ...par, usd: stale }), "price_unavailable")
      yield* approve(operation)
      assert.isUndefined(reasonOf(operation, unknown))
      assert.strictEqual((yield* reviewing("0")).reasonOf(operation, unknown), "review_not_granted")
    })
  )

  it.effect("counts by the thresholds of its kind", () =>
    Effect.gen(function* () {
      const { reasonOf } = yield* reviewing()
      const kinds: ReadonlyArray<OperationKind> = ["CHAIN_PAYOUT", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "WITHDRAWAL"]
      for (const kind of kinds) assert.strictEqual(reasonOf(worth(1_000n, { kind })), "review_not_granted", kind)
      // what is exchanged is reviewed by no worth, and what comes in by none
      for (const kind of ["SWAP", "ON_RAMP"] as const) assert.isUndefined(reasonOf(worth(1_000n, { kind })), kind)
    })
  )
})

const someText = fc.string({ minLength: 1 })

/** Fields of an operation, or of its details, by which somebody else would be paid, or something else. */
const change = fc.oneof(
  fc.record({ amount: fc.record({ units: fc.bigInt({ max: 0n }), currency: fc.constant("USDC_BASE") }) }),
  fc.record({ amount: fc.record({ units: fc.constant(dollars), currency: fc.constantFrom("USDT_ETH", "EUR") }) }),
  fc.record({ network: fc.constantFrom("ethereum", null) }),
  fc.record({ provider: fc.constantFrom("other", null) }),
  fc.record({ kind: fc.constantFrom("SWAP", "BANK_TRANSFER") }),
  fc.record({ id: fc.uuid() }),
  fc.record({ customerId: fc.uuid() }),
  fc.record({ details: fc.record({ destination: fc.record({ address: someText, memo: fc.option(someText) }) }) }),
  fc.record({ details: fc.record({ payee: fc.record({ iban: someText, name: someText }) }) }),
  fc
    .tuple(fc.constantFrom("to_currency", "rail", "quote_id", "refund_of", "provider_customer_id"), someText)
    .map(([field, text]) => ({ details: { [field]: text } }))
)

/** An operation in which somebody has written something. */
const changed = (operation: Operation, fields: object): Operation => {
  const details = "details" in fields ? fields.details : {}
  return { ...operation, ...fields, details: { ...operation.details, ...(details as object) } } as Operation // a row may say anything
}

describe("the values of a review", () => {
  it("are those of one operation: whatever is changed by which money goes elsewhere is another", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 6n }), change, (units, written) => {
        const operation = worth(units)
        const values = reviewValues(operation)
        assert.isTrue(saysReview(values, operation))
        assert.isFalse(saysReview(values, changed(operation, written)))
      })
    )
  })

  it("say of both where there are two receivers: neither hides the other", () => {
    const [approved, theirs] = [`0x${"aa".repeat(20)}`, `0x${"ee".repeat(20)}`]
    const iban = { name: "Ana", iban: "PT50000201231234567890154" }
    const payout = worth(1_000n, { kind: "CHAIN_PAYOUT" })
    const transfer = changed(worth(1_000n), { kind: "BANK_TRANSFER", details: { destination: undefined, payee: iban } })
    const payments = [
      [payout, { destination: { address: theirs, memo: null }, payee: { address: approved } }],
      [transfer, { payee: { ...iban, iban: "DE89370400440532013000" }, destination: iban }],
      [transfer, { payee: { iban: "DE89370400440532013000" }, destination: { ...iban, "payee.iban": iban.iban } }]
    ] as const
    for (const [operation, details] of payments)
      assert.isFalse(saysReview(reviewValues(operation), changed(operation, { details })), JSON.stringify(details))
  })

  it("are those of one signed request: another that asks for the same is approved by people anew", () => {
    const operation = worth(1_000n)
    const signed = (signature: string) =>
      changed(operation, { details: { signature: { keyid: "k", signature_base: "b", signature, body: "b" } } })
    assert.isTrue(saysReview(reviewValues(signed("one")), signed("one")))
    assert.isFalse(saysReview(reviewValues(signed("one")), signed("other")))
    assert.isFalse(saysReview(reviewValues(operation), signed("other")))
  })

  it.effect("hold as a grant, and what nobody can read is approved by nobody", () =>
    Effect.gen(function* () {
      const { approve, reasonOf } = yield* reviewing()
      const operation = worth(1_000n)
      const { document } = yield* approve(operation)
      assert.strictEqual(Result.getOrThrow(readGrant(document)).subject, operation.id)
      const payee = { name: "Ana\u202e", iban: "PT50000201231234567890154" }
      const strange = { ...worth(1_000n), kind: "BANK_TRANSFER", details: { payee } } as Operation
      assert.strictEqual((yield* Effect.exit(approve(strange)))._tag, "Failure")
      assert.strictEqual(reasonOf(strange), "review_not_granted")
      assert.isFalse(saysReview(reviewValues(strange), strange))
    })
  )
})

describe("what was signed with a key that was revoked since", () => {
  const signed = (kind: OperationKind = "SWAP") => {
    const signature = { keyid: signingKey.keyid, signature_base: "b", signature: "s", body: "b" }
    const operation = worth(1n, { kind })
    return { ...operation, details: { ...operation.details, signature, made_by: "t_live_AAAAAAAA" } } as Operation
  }
  const rows = (revokedAt: number | null) =>
    ({
      // all of a view that is looked at
      group: (record: unknown) =>
        record === SigningKey
          ? [{ apiKeyId: "AAAAAAAA", keyid: signingKey.keyid, createdAt: 0, revokedAt, publicKey: "", tenantId: "" }]
          : []
    }) as unknown as View

  it.effect("is held by the chain, whatever the rows say, until people answer for it after the revocation", () =>
    Effect.gen(function* () {
      const { approve, chain, grant, two } = yield* reviewing()
      const operation = signed()
      const reasonOf = (revokedAt: number | null = null) => unansweredKey(rows(revokedAt), operation, chain())?.reason
      yield* grant("signing_key", signingKey, two)
      yield* approve(operation)
      assert.isUndefined(reasonOf())
      yield* grant("signing_key", { ...signingKey, state: "REVOKED" }, two)
      assert.strictEqual(reasonOf(), "signing_key_revoked")
      yield* approve(operation)
      assert.isUndefined(reasonOf())
    })
  )

  it.effect("is held by the rows, until an approval that was proposed after the revocation", () =>
    Effect.gen(function* () {
      const { approve, chain } = yield* reviewing()
      const operation = signed("BANK_TRANSFER")
      const reasonOf = (revokedAt: number | null) => unansweredKey(rows(revokedAt), operation, chain())?.reason
      assert.isUndefined(reasonOf(null))
      assert.strictEqual(reasonOf(proposedAt - 1), "signing_key_revoked")
      yield* approve(operation)
      assert.isUndefined(reasonOf(proposedAt - 1))
      assert.strictEqual(reasonOf(proposedAt + 1), "signing_key_revoked")
      assert.isUndefined(unansweredKey(rows(proposedAt + 1), operation, undefined))
      assert.isUndefined(unansweredKey(rows(proposedAt + 1), { ...operation, details: {} }, chain()))
    })
  )
})

describe("a swap whose quote was overtaken", () => {
  it.effect("is held, whatever the rows say of an approval, until people approve that very swap", () =>
    Effect.gen(function* () {
      const { approve, chain } = yield* reviewing()
      const review = { state: "APPROVED", by: "olga", at: proposedAt, reason: null } as const
      const details = { to_currency: "USDT_ETH", floor: String(dollars), quote_overtaken: true, review }
      const swap: Operation = {
        ...newOperation(view, {
          kind: "SWAP",
          status: "ACCEPTED",
          amount: { units: dollars, currency: "USDC_BASE" },
          toAmountQuoted: { units: dollars, currency: "USDT_ETH" },
          provider: "fake",
          details
        }),
        createdAt: proposedAt - quoteKeptMs - 1
      }
      const rate: Rate = { price: { units: 1n, decimals: 0 }, source: "test", observedAt: proposedAt }
      const market = { currencies: defaultCurrencies, rate }
      const reasonOf = (ruling: Ruling, of = swap) => quoteOvertaken(of, { market, ruling, now: proposedAt })?.reason
      assert.isUndefined(reasonOf(undefined))
      assert.strictEqual(reasonOf(chain()), "quote_overtaken")
      yield* approve(swap)
      assert.isUndefined(reasonOf(chain()))
      // what was approved says what people were told that it would bring: another number takes another approval
      const told = (would_bring: string): Operation => ({ ...swap, details: { ...details, would_bring } })
      assert.strictEqual(reasonOf(chain(), told("40")), "quote_overtaken")
      yield* approve(told("40"))
      assert.isUndefined(reasonOf(chain(), told("40")))
      assert.strictEqual(reasonOf(chain(), told("15")), "quote_overtaken")
    })
  )
})
