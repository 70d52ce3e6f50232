import { StorageError } from "@bursar/core/engine/StorageError"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { FiatProvider, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { type ProviderCall, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { amountText, endOf, factsOf } from "../../src/calls/facts.ts"
import { noteCall } from "../../src/calls/noteCall.ts"
import { transferCall } from "../../src/fiat/transferCall.ts"

const operation = {
  id: "019845e1-682f-7b02-a706-3b2422d13aec",
  tenantId: TenantId("019845e1-682f-7b02-a706-3b2422d13aed"),
  provider: "bank",
  providerReference: "t-1",
  details: {}
} as Operation // all that is looked at

const order: TransferOrder = {
  reference: operation.id,
  madeAt: 0,
  sentAt: 0,
  kind: "BANK_TRANSFER",
  amount: of(12_345n, "EUR"),
  toCurrency: null,
  providerCustomerId: "c-9",
  rail: "SEPA",
  payee: {
    name: "Ana (Maria) Sousa",
    country: "PT",
    holderType: "INDIVIDUAL",
    iban: "PT50000201231234567890154",
    accountNumber: null,
    sortCode: null,
    routingNumber: null,
    bic: null,
    bankName: null,
    purpose: "rent"
  }
}

const state: TransferState = {
  providerReference: "t-1",
  status: "RETURNED",
  received: null,
  returned: of(100n, "EUR"),
  sender: {
    name: "Rui Costa",
    iban: "PT50000201239999999999999",
    accountNumber: null,
    sortCode: null,
    routingNumber: null,
    bic: null
  },
  reason: "account PT50000201231234567890154 of ana (maria) SOUSA is closed"
}

const fiatOf = (answer: Effect.Effect<ProviderResult<TransferState>>) =>
  ({ name: "bank", send: () => answer, transfer: () => answer }) as unknown as FiatProvider["Service"] // what is called of it

/** The call as it is noted, and what the caller is told. */
const noting = Effect.fnUntraced(function* (answer: Effect.Effect<ProviderResult<TransferState>>, first = true) {
  const noted: Array<ProviderCall> = []
  const calls = ProviderCalls.of({
    note: (call) => Effect.sync(() => void noted.push(call)),
    callsOf: () => Effect.succeed([]),
    forget: () => Effect.succeed(0)
  })
  const call = transferCall({
    fiat: fiatOf(answer),
    operation,
    order,
    first,
    by: operation.providerReference,
    currencies: defaultCurrencies
  })
  const told = yield* Effect.provideService(noteCall(call), ProviderCalls, calls)
  return { noted, told }
})

describe("a call of a provider", () => {
  it.effect("is noted with what was asked and answered, and names neither people nor their accounts", () =>
    Effect.gen(function* () {
      const { noted, told } = yield* noting(Effect.succeed(done(state)))
      assert.deepStrictEqual(told, done(state))
      assert.deepStrictEqual(noted, [
        {
          tenantId: operation.tenantId,
          operationId: operation.id,
          provider: "bank",
          call: "send",
          at: 0,
          durationMs: 0,
          outcome: "Done",
          asked: {
            reference: operation.id,
            kind: "BANK_TRANSFER",
            amount: "123.45 EUR",
            rail: "SEPA",
            provider_customer: "c-9",
            payee_country: "PT",
            payee_account: "…0154"
          },
          answered: {
            status: "RETURNED",
            provider_reference: "t-1",
            returned: "1 EUR",
            sender_account: "…9999",
            reason: "account … of … is closed"
          }
        }
      ])
      const text = JSON.stringify(noted).toLowerCase()
      for (const name of ["ana", "sousa", "rui", "costa", "1234567890154", "rent"]) assert.notInclude(text, name)
    })
  )

  it.effect("names nobody however the provider writes it: spaced, reversed, with other accents, and who paid", () =>
    Effect.gen(function* () {
      const reasons = [
        "PT50 0002 0123 1234 5678 9015 4 is closed",
        "pt50-0002-0123-1234-5678-9015-4 is closed",
        "SOUSA, Maria: unknown",
        "A\u0301na Maria Sou\u0301sa and \u00c1na Sousa",
        "the payer Costa R. of PT50 0002 0123 9999 9999 9999 9 may not",
        "for the rent of Ana"
      ]
      for (const reason of reasons) {
        const { noted } = yield* noting(Effect.succeed(done({ ...state, reason })))
        const kept = noted[0]?.answered["reason"] ?? assert.fail("no reason")
        assert.notMatch(
          kept.normalize("NFKD").replaceAll(/[^\w ]/gu, ""),
          /\b(?:ana|maria|sousa|costa|rent)\b|\d/iu,
          `${reason}: ${kept}`
        )
      }
    })
  )

  it.effect("names nobody of whom only the operation tells who paid", () =>
    Effect.gen(function* () {
      const paid = {
        ...operation,
        details: { sender: { name: "Zo\u00eb Li", account_number: "12-34 5678" } }
      } as Operation // as above
      const noted: Array<ProviderCall> = []
      const calls = ProviderCalls.of({
        note: (call) => Effect.sync(() => void noted.push(call)),
        callsOf: () => Effect.succeed([]),
        forget: () => Effect.succeed(0)
      })
      const fiat = fiatOf(Effect.succeed(unknown("account 12345678 of Zoe Li (Li, Zoe), a client of libraries")))
      const asked = { ...order, payee: null }
      const call = transferCall({
        fiat,
        operation: paid,
        order: asked,
        first: false,
        by: null,
        currencies: defaultCurrencies
      })
      yield* Effect.provideService(noteCall(call), ProviderCalls, calls)
      assert.deepStrictEqual(noted[0]?.answered, { detail: "account … of … (…, …), a client of libraries" })
    })
  )

  it.effect("is noted where it was refused, where nothing is known, and where its adapter failed", () =>
    Effect.gen(function* () {
      const answers = [
        yield* noting(Effect.succeed(refused("Ana (Maria) Sousa is unknown"))),
        yield* noting(Effect.succeed(unknown("no answer")), false),
        yield* noting(Effect.die(new Error("a bug with PT50000201231234567890154")), false)
      ]
      assert.deepStrictEqual(
        answers.map(({ noted: [call] }) => [call?.call, call?.outcome, call?.answered]),
        [
          ["send", "Refused", { reason: "… is unknown" }],
          ["transfer", "Unknown", { detail: "no answer" }],
          ["transfer", "Unknown", { detail: "the adapter failed: Error: a bug with …" }]
        ]
      )
      assert.deepStrictEqual(answers[1]?.noted[0]?.asked, { reference: operation.id, provider_reference: "t-1" })
      assert.deepStrictEqual(answers[2]?.told._tag, "Unknown")
    })
  )

  it.effect("counts all the same where a mistake of ours keeps it from being noted", () =>
    Effect.gen(function* () {
      const calls = ProviderCalls.of({
        note: () => Effect.die(new Error("it is not to be noted")),
        callsOf: () => Effect.succeed([]),
        forget: () => Effect.succeed(0)
      })
      const fiat = fiatOf(Effect.succeed(done(state)))
      const call = transferCall({ fiat, operation, order, first: true, by: null, currencies: defaultCurrencies })
      const personal = () => {
        throw new Error("a mistake of ours")
      }
      const noted = Effect.provideService(noteCall({ ...call, personal }), ProviderCalls, calls)
      assert.deepStrictEqual(yield* noted, done(state))
    })
  )

  it.effect("counts all the same where it cannot be noted", () =>
    Effect.gen(function* () {
      const broken = ProviderCalls.of({
        note: () => Effect.fail(new StorageError({ doing: "note a call", cause: "broken by the test" })),
        callsOf: () => Effect.succeed([]),
        forget: () => Effect.succeed(0)
      })
      const fiat = fiatOf(Effect.succeed(done(state)))
      const call = transferCall({ fiat, operation, order, first: true, by: null, currencies: defaultCurrencies })
      assert.deepStrictEqual(yield* Effect.provideService(noteCall(call), ProviderCalls, broken), done(state))
    })
  )

  it.effect("is noted with the time that it took", () =>
    Effect.gen(function* () {
      const { noted } = yield* Effect.andThen(
        TestClock.setTime(1_000),
        noting(Effect.as(TestClock.adjust(250), done(state)))
      )
      assert.deepStrictEqual([noted[0]?.at, noted[0]?.durationMs], [1_000, 250])
    })
  )
})

describe("what is kept of what a provider says", () => {
  it("is no longer than half a thousand characters, and leaves out what was not said", () => {
    const kept = factsOf({ long: "x".repeat(10_000), none: null, absent: undefined })
    assert.deepStrictEqual(Object.keys(kept), ["long"])
    assert.lengthOf(kept.long ?? "", 501)
  })

  it("is without names that have hyphens, and others that mean something to a pattern", () => {
    for (const name of ["Anne-Marie Smith", "O'Brien & Co.", "a/b (Ltd)", "-^$|"])
      assert.deepStrictEqual(factsOf({ reason: `paid ${name} today` }, [name]), { reason: "paid … today" })
  })

  it("takes whole names out first, and takes no word apart for a name of two letters", () => {
    assert.deepStrictEqual(
      factsOf({ reason: "Li Bo of Bo.+*Ltd: a lie about libraries" }, ["Li Bo", "Li", "Bo.+*Ltd"]),
      {
        reason: "… of …: a lie about libraries"
      }
    )
  })

  it("of a number of an account is its end, where that does not tell all of it", () => {
    assert.deepStrictEqual(["GB33 BUKB 2020 1555 5555 55", "12345678", "1234567", "", null].map(endOf), [
      "…5555",
      "…5678",
      "…",
      null,
      null
    ])
  })

  it("of an amount is its decimals, or its base units where the currency is not known", () => {
    assert.strictEqual(amountText(of(-150n, "EUR"), defaultCurrencies), "-1.5 EUR")
    assert.strictEqual(amountText(of(7n, "GONE"), defaultCurrencies), "7 base units of GONE")
    assert.strictEqual(amountText(undefined, defaultCurrencies), null)
  })
})
