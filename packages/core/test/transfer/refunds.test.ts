import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { ofKind, Operation } from "@bursar/core/operation/Operation"
import { refused } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { all, writing } from "@bursar/testkit/fixtures/commands"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { payee } from "@bursar/testkit/fixtures/people"
import type { PayerSeen } from "@bursar/core/transfer/refund"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import {
  accept,
  float,
  hear,
  keyed,
  paidIn,
  payer,
  referenceOf,
  says,
  send,
  sender,
  store,
  submit,
  baseRequest,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const refundOf = (refundOf: string | null, units: bigint, more: Partial<TransferRequest> = {}) =>
  baseRequest({
    kind: "REFUND",
    amount: of(units, "EUR"),
    payee: null,
    refund: { refundOf, name: "Somebody" },
    ...more
  })

const tryRefund = (tenant: TenantId, id: string | null, units: bigint, more: Partial<TransferRequest> = {}) =>
  Effect.map(keyed(tenant, createTransfer(refundOf(id, units, more))), (made) =>
    typeof made === "string" ? made : made.kind
  )

describe("a REFUND", () => {
  it.effect("pays the account that the money came from, whoever is named", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const thief = { ...payee, name: "A thief", iban: "PT50000201231234567890154" }
        const made = yield* accept(tenant, refundOf(source.id, 4_000n, { payee: thief }))
        const order = transferOrderOf(made)
        assert.deepStrictEqual(
          [order?.kind, order?.payee?.iban, order?.payee?.name],
          ["REFUND", sender.iban, sender.name]
        )
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is refused where it names nothing that was paid in, or what it names cannot be paid back", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const other = yield* payer()
        const { id: customer } = yield* newCustomer(tenant)
        const foreign = yield* paidIn(other)
        const out = yield* send(tenant)
        yield* hear(tenant, out, says("SETTLED"))
        const waiting = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        const anonymous = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, anonymous, says("SETTLED"))
        const halfNamed = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(
          tenant,
          halfNamed,
          says("SETTLED", { sender: { ...sender, iban: null, routingNumber: "021000021" } })
        )
        const strayed = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, strayed, says("SETTLED", { received: of(10_000n, "USD"), sender }))
        const source = yield* paidIn(tenant)
        const before = yield* float(tenant)
        for (const id of [
          null,
          crypto.randomUUID(),
          foreign.id,
          out.id,
          waiting.id,
          anonymous.id,
          halfNamed.id,
          strayed.id
        ])
          assert.strictEqual(yield* tryRefund(tenant, id, 1n), "beneficiary_invalid")
        assert.strictEqual(
          yield* keyed(tenant, createTransfer(baseRequest({ kind: "REFUND" }))),
          "beneficiary_invalid",
          "a free transfer is none"
        )
        assert.strictEqual(yield* tryRefund(tenant, source.id, 1n, { customerId: customer }), "beneficiary_invalid")
        const usdc = { amount: of(1n, "GBP"), toCurrency: "GBP" }
        assert.strictEqual(yield* tryRefund(tenant, source.id, 1n, usdc), "beneficiary_invalid")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 10_001n), "insufficient_balance")
        assert.deepStrictEqual(yield* float(tenant), before)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("and all others of the same ON_RAMP pay back no more than it brought", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        assert.strictEqual(yield* tryRefund(tenant, source.id, 6_000n), "REFUND")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 4_001n), "insufficient_balance")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 4_000n), "REFUND")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 1n), "insufficient_balance")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that failed or came back can be made again, for as much as it did not pay out", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const whole = refundOf(source.id, 10_000n)
        for (const answers of [
          [refused("no")],
          [says("FAILED")],
          [says("RETURNED")],
          [says("SETTLED"), says("RETURNED")]
        ]) {
          const refund = yield* send(tenant, whole)
          assert.strictEqual(yield* tryRefund(tenant, source.id, 1n), "insufficient_balance")
          for (const answer of answers) yield* hear(tenant, refund, answer)
        }
        const refund = yield* send(tenant, whole)
        yield* hear(tenant, refund, says("SETTLED"))
        yield* hear(tenant, refund, says("RETURNED", { returned: of(7_000n, "EUR") }))
        assert.strictEqual(yield* tryRefund(tenant, source.id, 7_001n), "insufficient_balance")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 7_000n), "REFUND")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("pays back only what the bank has not taken back, and what came where more was announced", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const taken = yield* paidIn(tenant)
        yield* hear(tenant, taken, says("RETURNED", { returned: of(7_000n, "EUR") }))
        assert.strictEqual(yield* tryRefund(tenant, taken.id, 3_001n), "insufficient_balance")
        assert.strictEqual(yield* tryRefund(tenant, taken.id, 3_000n), "REFUND")
        const less = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, less, says("SETTLED", { received: of(50n, "EUR"), sender }))
        assert.strictEqual(yield* tryRefund(tenant, less.id, 51n), "insufficient_balance")
        assert.strictEqual(yield* tryRefund(tenant, less.id, 50n), "REFUND")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is sent only where the provider says that the money came from that account, and that much of it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const refund = yield* accept(tenant, refundOf(source.id, 4_000n))
        const told = {
          _tag: "Told",
          source: source.id,
          providerReference: referenceOf(source),
          status: "SETTLED",
          sender,
          received: null,
          returned: null
        } as const
        const begun = (seen: PayerSeen | undefined) =>
          submit(tenant, beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: seen && [seen] }))
        const elsewhere: ReadonlyArray<PayerSeen | undefined> = [
          undefined,
          { _tag: "Unknown", source: source.id, detail: "503" },
          { ...told, source: "another" },
          { ...told, sender: null },
          { ...told, sender: { ...sender, iban: "DE89370400440532013000" } },
          { ...told, received: of(3_999n, "EUR") },
          // a row says in which currency it is paid back
          { ...told, received: of(4_000_000n, "USD") },
          // a row says how much the bank took back
          { ...told, returned: of(1n, "EUR") },
          { ...told, received: of(4_000n, "EUR"), returned: of(1n, "EUR") }
        ]
        for (const seen of elsewhere) {
          const task = yield* begun(seen)
          assert.strictEqual(
            task._tag === "Wait" && task.objection.reason,
            "payer_not_confirmed",
            seen?._tag === "Told" ? `${seen.received?.currency} ${seen.returned?.units}` : seen?._tag
          )
        }
        // the name is anybody's to write
        const right = { ...told, sender: { ...sender, name: null }, received: of(4_000n, "EUR") }
        assert.strictEqual((yield* begun(right))._tag, "Send")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  for (const [what, more] of [
    ["with a BIC that it had not told", { bic: "CGDIPTPLXXX" }],
    ["with spaces in the IBAN", { iban: "pt50 0002 0123 9876 5432 1015 6" }],
    ["with a number that it had not told", { accountNumber: "98765432101" }]
  ] as const)
    it.effect(`is sent where the provider writes the same account otherwise: ${what}`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const source = yield* paidIn(tenant)
          const refund = yield* accept(tenant, refundOf(source.id, 4_000n))
          const seen = { ...sender, ...more }
          const told = {
            _tag: "Told",
            source: source.id,
            providerReference: referenceOf(source),
            status: "SETTLED",
            sender: seen,
            received: null,
            returned: null
          } as const
          const task = yield* submit(
            tenant,
            beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: [told] })
          )
          assert.strictEqual(task._tag, "Send")
        })
      )
    )

  for (const [named, toldBic, isSent] of [
    ["DEUTDEFF500", "DEUTDEFF500", true],
    ["DEUTDEFF500", "DEUTDEFF600", false],
    ["DEUTDEFF500", "DEUTDEFF", false],
    ["DEUTDEFF500", "DEUTDEFFXXX", false],
    ["DEUTDEFFXXX", "DEUTDEFF", true],
    ["DEUTDEFF", "DEUTDEFF500", true]
  ] as const)
    it.effect(
      `to a number at ${named} is ${isSent ? "sent" : "not sent"} where the provider says that the money came from ${toldBic}`,
      () =>
        run(
          Effect.gen(function* () {
            const tenant = yield* payer()
            const account = { ...sender, iban: null, accountNumber: "532013000" }
            const source = yield* hear(
              tenant,
              yield* send(tenant, { kind: "ON_RAMP", payee: null }),
              says("SETTLED", { sender: { ...account, bic: named } })
            )
            const refund = yield* accept(tenant, refundOf(source.id, 4_000n))
            const seen = { ...account, bic: toldBic }
            const told = {
              _tag: "Told",
              source: source.id,
              providerReference: referenceOf(source),
              status: "SETTLED",
              sender: seen,
              received: null,
              returned: null
            } as const
            const task = yield* submit(
              tenant,
              beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: [told] })
            )
            assert.strictEqual(task._tag, isSent ? "Send" : "Wait")
          })
        )
    )

  for (const [what, more] of [
    ["a number", { account_number: "98765432101" }],
    ["a bank", { bic: "BCOMPTPL" }]
  ] as const)
    it.effect(`is not sent where its rows name ${what} beside the IBAN that the provider has not told`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const source = yield* paidIn(tenant)
          const refund = yield* accept(tenant, refundOf(source.id, 4_000n))
          const [row, ramp] = [ofKind(refund, "REFUND"), ofKind(source, "ON_RAMP")]
          const stored = (yield* (yield* Queries).operation(tenant, ramp.id)) ?? assert.fail("it is gone")
          const kept = ofKind(stored, "ON_RAMP").details
          const forged: ReadonlyArray<Operation> = [
            { ...row, details: { ...row.details, payee: { ...row.details.payee, ...more } } },
            { ...stored, details: { ...kept, sender: { ...kept.sender, ...more } } }
          ]
          yield* submit(
            tenant,
            writing(() => forged.map((one) => putRecord(Operation, one)))
          )
          const told = {
            _tag: "Told",
            source: source.id,
            providerReference: referenceOf(source),
            status: "SETTLED",
            sender,
            received: null,
            returned: null
          } as const
          const task = yield* submit(
            tenant,
            beginTransfer(refund, { name: "fake", environment: "LIVE" }, { payer: [told] })
          )
          assert.strictEqual(task._tag === "Wait" && task.objection.reason, "payer_not_confirmed")
        })
      )
    )

  it.effect("is not sent where the bank took back what it pays back since it was accepted", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const refund = yield* accept(tenant, refundOf(source.id, 4_000n))
        yield* hear(tenant, source, says("RETURNED", { returned: of(6_001n, "EUR") }))
        const task = yield* submit(
          tenant,
          beginTransfer(refund, { name: "fake", environment: "LIVE" }, payerAsStored(refund))
        )
        assert.strictEqual(task._tag === "Wait" && task.objection.reason, "source_taken_back")
        const untouched = yield* paidIn(tenant)
        const other = yield* accept(tenant, refundOf(untouched.id, 4_000n))
        yield* hear(tenant, untouched, says("RETURNED", { returned: of(6_000n, "EUR") }))
        assert.strictEqual(
          (yield* submit(tenant, beginTransfer(other, { name: "fake", environment: "LIVE" }, payerAsStored(other))))
            ._tag,
          "Send"
        )
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is not paid back twice by a rule of two that counts it once", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        yield* paidIn(tenant)
        const part = createTransfer(refundOf(source.id, 10_000n))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(submit(tenant, all(part, part)))))
        assert.strictEqual(yield* tryRefund(tenant, source.id, 10_000n), "REFUND")
        assert.strictEqual(yield* tryRefund(tenant, source.id, 1n), "insufficient_balance")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("goes to the account that was told first, also where it was told after the money had settled", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* send(tenant, { kind: "ON_RAMP", payee: null })
        yield* hear(tenant, source, says("SETTLED"))
        assert.strictEqual(yield* tryRefund(tenant, source.id, 1n), "beneficiary_invalid")
        yield* hear(tenant, source, says("SETTLED", { sender }))
        yield* hear(tenant, source, says("SETTLED", { sender: { ...sender, iban: payee.iban } }))
        const made = yield* accept(tenant, refundOf(source.id, 1n))
        assert.strictEqual(transferOrderOf(made)?.payee?.iban, sender.iban)
      })
    )
  )
})
