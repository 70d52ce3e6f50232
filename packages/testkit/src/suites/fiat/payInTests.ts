import type { TransferState } from "@bursar/core/port/FiatProvider"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { shown } from "../custodian/CustodianWorld.ts"
import type { SuiteIt } from "../harness.ts"
import { centsOf, FiatWorld, partReturned } from "./FiatWorld.ts"
import { orderOf } from "./orders.ts"
import { referenceOf, statusOf } from "./transferTests.ts"

/** Less than is ordered. */
const paidIn = "120.01"

const euro = (text: string) => ({ units: centsOf(text), currency: "EUR" })

/** The state of an answer, which must be one. */
const stateOf = (answer: ProviderResult<TransferState>): TransferState =>
  answer._tag === "Done" ? answer.value : assert.fail(shown(answer))

/** What is paid in counts once it is there, and as much of it as is there. */
export const payInTests = (it: SuiteIt<FiatWorld>, timeoutMs: number): void => {
  it.effect(
    "what is to come in waits for its money, and is told as it came, with who paid it",
    () =>
      Effect.gen(function* () {
        const { next, payIn, provider } = yield* FiatWorld
        yield* next("await")
        const order = yield* orderOf({ kind: "ON_RAMP", payee: null })
        const taken = yield* provider.send(order)
        assert.strictEqual(statusOf(taken), "AWAITING_FUNDS")
        const waiting = stateOf(yield* provider.transfer(order, referenceOf(taken) ?? ""))
        assert.notInclude(["SETTLED", "FAILED", "RETURNED"], waiting.status)
        assert.deepStrictEqual([waiting.received, waiting.returned], [null, null])
        const iban = yield* payIn(order.reference, paidIn)
        const known = stateOf(yield* provider.transfer(order, referenceOf(taken) ?? ""))
        assert.strictEqual(known.status, "SETTLED")
        assert.deepStrictEqual(known.received, euro(paidIn))
        assert.strictEqual(known.sender?.iban ?? null, iban)
        assert.deepStrictEqual(stateOf(yield* provider.transfer(order, null)), known)
      }),
    timeoutMs
  )

  it.effect(
    "tells how much of what was paid in went back",
    () =>
      Effect.gen(function* () {
        const { conclude, next, payIn, provider } = yield* FiatWorld
        yield* next("return_part")
        const order = yield* orderOf({ kind: "ON_RAMP", payee: null })
        assert.strictEqual(statusOf(yield* provider.send(order)), "AWAITING_FUNDS")
        const iban = yield* payIn(order.reference, paidIn)
        assert.deepStrictEqual(stateOf(yield* provider.transfer(order, null)).received, euro(paidIn))
        yield* conclude(order.reference)
        const back = stateOf(yield* provider.transfer(order, null))
        assert.strictEqual(back.status, "RETURNED")
        assert.deepStrictEqual(back.returned, euro(partReturned))
        assert.isNull(back.received)
        assert.strictEqual(back.sender?.iban ?? null, iban)
      }),
    timeoutMs
  )
}
