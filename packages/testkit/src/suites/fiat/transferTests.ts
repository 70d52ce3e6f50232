import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { assertHints } from "../hintTests.ts"
import type { SuiteIt } from "../harness.ts"
import { shown } from "../custodian/CustodianWorld.ts"
import { payee } from "../../fixtures/people.ts"
import { deafFaults } from "../../fixtures/ProviderFault.ts"
import { type FiatTerms, FiatWorld, type TransferFate } from "./FiatWorld.ts"
import { tellsWhatWasDone } from "../statementLines.ts"
import { justAfter, justBefore, madeUp } from "../windows.ts"
import { activeAccount, aged, longAgo, orderOf } from "./orders.ts"

const fates: ReadonlyArray<readonly [TransferFate, TransferState["status"]]> = [
  ["settle", "SETTLED"],
  ["fail", "FAILED"],
  ["return", "RETURNED"],
  ["return_part", "RETURNED"],
  ["in_review", "IN_REVIEW"]
]

const lostFates: ReadonlyArray<readonly [TransferFate, TransferState["status"]]> = [
  ["lost_then_settle", "SETTLED"],
  ["lost_then_fail", "FAILED"]
]

/** How a transfer of a fate certainly never ends: whoever is told so books it, at once. */
const never: Readonly<Partial<Record<TransferFate, ReadonlyArray<string>>>> = {
  settle: ["FAILED", "RETURNED"],
  fail: ["SETTLED", "RETURNED"],
  return: ["FAILED"],
  return_part: ["FAILED"],
  in_review: ["SETTLED", "FAILED", "RETURNED"]
}

const final: ReadonlySet<string> = new Set(["SETTLED", "FAILED", "RETURNED"])

/** The status of an answer, or what else it is. */
export const statusOf = (answer: ProviderResult<TransferState>): string =>
  answer._tag === "Done" ? answer.value.status : answer._tag

/** The provider's reference, where an answer tells it. */
export const referenceOf = (answer: ProviderResult<TransferState>): string | undefined =>
  answer._tag === "Done" ? answer.value.providerReference : undefined

/** A transfer is sent once, and what became of it is found by our reference alone. */
export const transferTests = (it: SuiteIt<FiatWorld>, timeoutMs: number, terms: FiatTerms): void => {
  const { absentAfterMs, has, sendWithinMs } = terms

  for (const [fate, status] of fates) {
    it.effect(
      `a transfer that is to ${fate} is taken, and ends as ${status}`,
      () =>
        Effect.gen(function* () {
          const { conclude, next, provider, transfers } = yield* FiatWorld
          const order = yield* orderOf()
          yield* next(fate)
          const taken = yield* provider.send(order)
          assert.strictEqual(taken._tag, "Done", shown(taken))
          const paid = has.includes("payees") ? { account: payee.iban, currency: "EUR", onBehalfOf: null } : null
          assert.deepStrictEqual(yield* transfers(order.reference), [{ amount: order.amount, payee: paid }])
          const asked = provider.transfer(order, referenceOf(taken) ?? "")
          for (const answer of [taken, yield* asked, yield* provider.transfer(order, null), yield* asked]) {
            assert.notStrictEqual(answer._tag, "Refused", "the provider took it")
            assert.notInclude(never[fate] ?? [], statusOf(answer))
            if (answer._tag === "Done" && answer.value.status === "SETTLED")
              assert.deepStrictEqual(answer.value.received, order.amount)
          }
          yield* conclude(order.reference)
          const known = yield* provider.transfer(order, referenceOf(taken) ?? "")
          const searched = yield* provider.transfer(order, null)
          assert.strictEqual(statusOf(known), status)
          assert.deepStrictEqual(searched, known)
          assert.strictEqual(referenceOf(known), referenceOf(taken))
          if (known._tag !== "Done") return
          assert.deepStrictEqual(known.value.received, status === "SETTLED" ? order.amount : null)
          const back = fate === "return_part" ? { ...order.amount, units: 7_000n } : order.amount
          assert.deepStrictEqual(known.value.returned, status === "RETURNED" ? back : null)
          assert.isNull(known.value.sender, "what is paid out comes from nobody")
          assert.strictEqual(known.value.reason !== null, status === "FAILED" || status === "RETURNED")
        }),
      timeoutMs
    )
  }

  it.effect(
    "its balance and its statement, where it tells them, show what transfers have moved, and name them",
    () =>
      Effect.gen(function* () {
        const { conclude, next, provider } = yield* FiatWorld
        const { balances, statement } = provider
        if (balances === undefined || statement === undefined) return
        const balance = Effect.map(Effect.orDie(balances), (all) => all.get("EUR") ?? 0n)
        for (const [fate, gone] of [
          ["settle", 15_001n],
          ["fail", 0n],
          ["return", 0n],
          ["return_part", 8_001n]
        ] as const) {
          const order = yield* orderOf()
          yield* next(fate)
          const act = Effect.gen(function* () {
            const taken = yield* provider.send(order)
            yield* conclude(order.reference)
            return { names: [order.reference, referenceOf(taken) ?? ""], moved: -gone }
          })
          yield* tellsWhatWasDone(statement, { currency: "EUR", balance, act })
        }
        const account = yield* activeAccount()
        const { arrive } = yield* FiatWorld
        const arrived = Effect.map(arrive(account, "12.34", "rent"), (id) => ({ names: [id], moved: 1_234n }))
        yield* tellsWhatWasDone(statement, { currency: "EUR", balance, act: arrived })
      }),
    timeoutMs
  )

  for (const [fate, status] of lostFates) {
    it.effect(
      `an order whose answer is lost is not known, and is found by our reference (${fate})`,
      () =>
        Effect.gen(function* () {
          const { conclude, next, provider, transfers } = yield* FiatWorld
          const order = yield* orderOf()
          yield* next(fate)
          assert.strictEqual((yield* provider.send(order))._tag, "Unknown")
          yield* conclude(order.reference)
          assert.strictEqual(statusOf(yield* provider.transfer(order, null)), status)
          assert.lengthOf(yield* transfers(order.reference), 1)
        }),
      timeoutMs
    )
  }

  it.effect(
    "an order that is heard of no more never comes to an end",
    () =>
      Effect.gen(function* () {
        const { conclude, next, provider } = yield* FiatWorld
        const order = yield* orderOf()
        yield* next("never")
        const taken = yield* provider.send(order)
        yield* conclude(order.reference)
        for (const asked of [order, longAgo(order)]) {
          const answer = yield* provider.transfer(asked, referenceOf(taken) ?? null)
          assert.notStrictEqual(answer._tag, "Refused")
          assert.isFalse(final.has(statusOf(answer)), `it ended as ${statusOf(answer)}`)
        }
      }),
    timeoutMs
  )

  it.effect(
    "an order that the provider will not have is refused, and there is no transfer of it",
    () =>
      Effect.gen(function* () {
        const { next, provider, transfers } = yield* FiatWorld
        const order = yield* orderOf()
        yield* next("refuse")
        assert.strictEqual((yield* provider.send(order))._tag, "Refused")
        assert.lengthOf(yield* transfers(order.reference), 0)
      }),
    timeoutMs
  )

  it.effect(
    "the same reference is one transfer, however often it is sent",
    () =>
      Effect.gen(function* () {
        const { next, provider, transfers } = yield* FiatWorld
        const order = yield* orderOf()
        yield* next("settle")
        const [first, again] = [yield* provider.send(order), yield* provider.send(order)]
        const late = yield* provider.send(longAgo(order))
        assert.isString(referenceOf(first))
        assert.deepStrictEqual([referenceOf(again), referenceOf(late)], [referenceOf(first), referenceOf(first)])
        assert.lengthOf(yield* transfers(order.reference), 1)
      }),
    timeoutMs
  )

  it.effect(
    "an order that was never sent is not known while it may be under way or was seen, and refused when it cannot be any more",
    () =>
      Effect.gen(function* () {
        const { provider } = yield* FiatWorld
        const order = yield* orderOf()
        for (const ms of [0, justBefore(absentAfterMs)])
          assert.strictEqual((yield* provider.transfer(aged(order, ms), null))._tag, "Unknown", `${ms} ms old`)
        const late = aged(order, justAfter(absentAfterMs))
        assert.strictEqual((yield* provider.transfer(late, null))._tag, "Refused")
        // who has a reference of the provider's has seen it take the order
        assert.strictEqual((yield* provider.transfer(late, madeUp))._tag, "Unknown")
      }),
    timeoutMs
  )

  it.effect(
    "an order whose intent is old is refused and not sent: others may have been told that it never was",
    () =>
      Effect.gen(function* () {
        const { next, provider, transfers } = yield* FiatWorld
        assert.isAtMost(4 * sendWithinMs, absentAfterMs, "what is sent late is not taken for absent")
        const order = yield* orderOf()
        for (const ms of [sendWithinMs, absentAfterMs])
          assert.strictEqual((yield* provider.send(aged(order, justAfter(ms))))._tag, "Refused", `${ms} ms old`)
        assert.lengthOf(yield* transfers(order.reference), 0)
        yield* next("settle")
        assert.strictEqual((yield* provider.send(aged(order, justBefore(sendWithinMs))))._tag, "Done")
        assert.lengthOf(yield* transfers(order.reference), 1)
      }),
    timeoutMs
  )

  it.effect(
    "a genuine webhook names the transfer, and any other is not trusted",
    () =>
      Effect.gen(function* () {
        const { next, provider, webhook } = yield* FiatWorld
        const order = yield* orderOf()
        yield* next("settle")
        yield* provider.send(order)
        yield* assertHints(provider.readHint, yield* webhook(order.reference), "transfer", order.reference)
      }),
    timeoutMs
  )

  if (!has.includes("faults")) return

  for (const fault of deafFaults) {
    it.effect(
      `nothing is concluded about transfers from a provider that is ${fault}`,
      () =>
        Effect.gen(function* () {
          const { breakProvider, heal, next, provider } = yield* FiatWorld
          const known = yield* orderOf()
          yield* next("settle")
          const taken = yield* provider.send(known)
          const order = yield* orderOf()
          yield* breakProvider(fault)
          const sent = yield* provider.send(order)
          const searched = yield* provider.transfer(longAgo(order), null)
          const read = yield* provider.transfer(known, referenceOf(taken) ?? null)
          yield* heal
          assert.deepStrictEqual([sent._tag, searched._tag, read._tag], ["Unknown", "Unknown", "Unknown"])
        }).pipe(Effect.ensuring(Effect.flatMap(FiatWorld, ({ heal }) => heal))),
      timeoutMs
    )
  }
}
