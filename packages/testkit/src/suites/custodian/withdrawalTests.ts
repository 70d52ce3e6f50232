import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { tellsWhatWasDone } from "../statementLines.ts"
import { CustodianWorld, shown, holding, newWithdrawal } from "./CustodianWorld.ts"

/** Withdrawals whose answer is seen. */
export const withdrawalTests = (it: SuiteIt<CustodianWorld>, timeoutMs: number, hasMemos: boolean): void => {
  it.effect(
    "a withdrawal is taken, then settled with its transaction, its fee, and exactly its amount gone",
    () =>
      Effect.gen(function* () {
        const { custodian, finish, next } = yield* CustodianWorld
        yield* next("withdrawal", "settle")
        const order = yield* newWithdrawal
        const { currency } = order.amount
        const before = yield* holding(currency)
        const announced = yield* custodian.withdrawalFee(currency, order.network)
        const taken = yield* custodian.withdraw(order)
        if (taken._tag !== "Done" || taken.value._tag === "Failed") return assert.fail(shown(taken))
        const { providerReference } = taken.value
        yield* finish
        const answer = yield* custodian.withdrawal(order, providerReference)
        if (answer._tag !== "Done" || answer.value._tag !== "Settled") return assert.fail(shown(answer))
        const { networkFee, txHash } = answer.value
        assert.strictEqual(answer.value.providerReference, providerReference)
        assert.isNotEmpty(txHash)
        if (announced !== null) assert.deepStrictEqual(networkFee, announced)
        const onTop = custodian.networkFeeBorneBy === "SERVICE" ? (networkFee?.units ?? 0n) : 0n
        assert.strictEqual(before - (yield* holding(currency)), order.amount.units + onTop)
        return undefined
      }),
    timeoutMs
  )

  for (const memoed of hasMemos ? [false, true] : [false]) {
    it.effect(
      `a withdrawal goes to the address that it names, on its network, ${memoed ? "with its memo" : "as it is"}`,
      () =>
        Effect.gen(function* () {
          const { custodian, finish, memo, next, received, taken } = yield* CustodianWorld
          const before = yield* taken("withdrawal")
          yield* next("withdrawal", "settle")
          const plain = yield* newWithdrawal
          const order = memoed ? { ...plain, memo } : plain
          const answer = yield* custodian.withdraw(order)
          assert.strictEqual(answer._tag, "Done", shown(answer))
          yield* finish
          assert.strictEqual(yield* taken("withdrawal"), before + 1)
          assert.deepStrictEqual(yield* received, {
            units: order.amount.units,
            network: order.network,
            address: order.address,
            memo: order.memo
          })
        }),
      timeoutMs
    )
  }

  it.effect(
    "its statement, where it tells one, shows what withdrawals have moved, and names them",
    () =>
      Effect.gen(function* () {
        const { custodian, finish, next } = yield* CustodianWorld
        if (custodian.statement === undefined) return
        for (const outcome of ["settle", "fail"] as const) {
          yield* next("withdrawal", outcome)
          const order = yield* newWithdrawal
          const { currency, units } = order.amount
          const act = Effect.gen(function* () {
            const taken = yield* custodian.withdraw(order)
            const reference = taken._tag === "Done" ? taken.value.providerReference : null
            yield* finish
            const answer = yield* custodian.withdrawal(order, reference)
            if (answer._tag !== "Done" || answer.value._tag === "Pending") return assert.fail(shown(answer))
            const { value } = answer
            const fee = value._tag === "Settled" ? (value.networkFee?.units ?? 0n) : 0n
            const onTop = custodian.networkFeeBorneBy === "SERVICE" ? fee : 0n
            const names = [order.reference, ...(value.providerReference === null ? [] : [value.providerReference])]
            return { names, moved: value._tag === "Settled" ? -(units + onTop) : 0n }
          })
          yield* tellsWhatWasDone(custodian.statement, { currency, balance: holding(currency), act: act })
        }
      }),
    timeoutMs
  )

  it.effect(
    "a withdrawal that is taken and given up is failed, for good, and nothing is gone",
    () =>
      Effect.gen(function* () {
        const { custodian, finish, next } = yield* CustodianWorld
        yield* next("withdrawal", "fail")
        const order = yield* newWithdrawal
        const before = yield* holding(order.amount.currency)
        const taken = yield* custodian.withdraw(order)
        if (taken._tag !== "Done") return assert.fail(shown(taken))
        yield* finish
        for (const providerReference of [taken.value.providerReference, taken.value.providerReference]) {
          const answer = yield* custodian.withdrawal(order, providerReference)
          if (answer._tag !== "Done" || answer.value._tag !== "Failed") return assert.fail(shown(answer))
          assert.isNotEmpty(answer.value.reason)
        }
        assert.strictEqual(yield* holding(order.amount.currency), before)
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a withdrawal of more than is held is refused for certain",
    () =>
      Effect.gen(function* () {
        const { custodian, taken } = yield* CustodianWorld
        const order = yield* newWithdrawal
        const before = yield* taken("withdrawal")
        const held = yield* holding(order.amount.currency)
        const answer = yield* custodian.withdraw({
          ...order,
          amount: { ...order.amount, units: held + order.amount.units }
        })
        assert.strictEqual(answer._tag, "Refused", shown(answer))
        assert.strictEqual(yield* holding(order.amount.currency), held)
        assert.strictEqual(yield* taken("withdrawal"), before)
      }),
    timeoutMs
  )

  it.effect(
    "a currency on a network that is not its own is refused, and its fee is not known",
    () =>
      Effect.gen(function* () {
        const { custodian } = yield* CustodianWorld
        const order = yield* newWithdrawal
        const network = order.network === "bitcoin" ? "tron" : "bitcoin"
        assert.strictEqual((yield* custodian.withdraw({ ...order, network }))._tag, "Refused")
        assert.isNull(yield* custodian.withdrawalFee(order.amount.currency, network))
        assert.isNull(yield* custodian.withdrawalFee("NO_SUCH", order.network))
      }),
    timeoutMs
  )
}
