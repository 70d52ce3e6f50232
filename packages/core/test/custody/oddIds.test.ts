import { shortened } from "@bursar/core/base/shortened"
import { idLengthMax, storable } from "@bursar/core/base/storable"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ConversionState, WithdrawalState } from "@bursar/core/port/Custodian"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { done, type ProviderResult } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bought, fake, says as saysOfSwap, sent } from "../swap/world.ts"
import { hear, paidIn, payer, says, send } from "../transfer/world.ts"
import { store, submit, verified, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const units = 10_000n
/** PostgreSQL has none of the first two in a text, and no index over the third. */
const odd = ["\u0000", "\ud83d", "x".repeat(idLengthMax)]

const stored = (id: TenantId, operation: Operation) =>
  Effect.flatMap(Queries, (queries) =>
    Effect.map(queries.operation(id, operation.id), (found) => found ?? assert.fail("it is gone"))
  )

const flags = Effect.fnUntraced(function* (id: TenantId, before: Operation, because: string) {
  const after = yield* stored(id, before)
  assert.deepInclude(after, { status: before.status, unresolved: true })
  assert.include(after.details.unresolved_because, because)
  assert.deepStrictEqual(yield* wrong(id), [])
})

describe("an id or a currency of a provider that cannot be stored", () => {
  for (const character of odd) {
    const name = JSON.stringify(shortened(character, 10))
    const transfers: ReadonlyArray<readonly [string, ProviderResult<TransferState>, string]> = [
      ["id", says("SETTLED", { providerReference: `t${character}` }), "an id that cannot be stored"],
      ["id of what failed", says("FAILED", { providerReference: `t${character}` }), "cannot be stored"],
      ["currency received", says("SETTLED", { received: of(5n, `X${character}`) }), storable(`X${character}`)],
      ["currency returned", says("RETURNED", { returned: of(5n, `X${character}`) }), storable(`X${character}`)]
    ]
    for (const [what, answer, because] of transfers)
      it.effect(`flags a transfer: ${what}, ${name}`, () =>
        Effect.gen(function* () {
          const id = yield* payer()
          const operation = yield* send(id)
          yield* hear(id, operation, answer)
          yield* flags(id, operation, because)
        }).pipe(Effect.provide(store))
      )

    const conversions: ReadonlyArray<readonly [string, ConversionState, string]> = [
      ["id", { _tag: "Pending", providerReference: `c${character}` }, "cannot be stored"],
      ["id of what failed", { _tag: "Failed", providerReference: `c${character}`, reason: "no" }, "cannot be stored"],
      [
        "currency",
        { _tag: "Settled", providerReference: "c", received: of(5n, `X${character}`) },
        storable(`X${character}`)
      ],
      [
        "currency of a fee",
        {
          _tag: "Settled",
          providerReference: "c",
          received: of(units, bought),
          feesBeside: [of(5n, `X${character}`)]
        },
        storable(`X${character}`)
      ]
    ]
    for (const [what, state, because] of conversions)
      it.effect(`flags a swap: ${what}, ${name}`, () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          const operation = yield* sent(id, units, false)
          yield* saysOfSwap(id, operation, done(state))
          yield* flags(id, operation, because)
        }).pipe(Effect.provide(store))
      )

    const withdrawals: ReadonlyArray<readonly [string, WithdrawalState, string]> = [
      [
        "id",
        { _tag: "Settled", providerReference: `w${character}`, txHash: null, networkFee: null },
        "cannot be stored"
      ],
      ["hash", { _tag: "Pending", providerReference: "w", txHash: `0x${character}` }, "cannot be stored"],
      [
        "currency of the fee",
        { _tag: "Settled", providerReference: "w", txHash: null, networkFee: of(1n, `X${character}`) },
        storable(`X${character}`)
      ]
    ]
    for (const [what, state, because] of withdrawals)
      it.effect(`flags a withdrawal: ${what}, ${name}`, () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          yield* verified(id, "0x00000000000000000000000000000000000000aa")
          const made = yield* withdraw(id, 5_000_000n)
          if (typeof made === "string") return assert.fail(made)
          const task = yield* submit(id, beginCustody(made, fake))
          const operation = task._tag === "Send" ? task.operation : assert.fail(task._tag)
          const report = { operation, answer: done(state), currencies: defaultCurrencies } as const
          yield* submit(id, recordWithdrawal({ ...report, networkFeeBorneBy: "SERVICE" }))
          return yield* flags(id, operation, because)
        }).pipe(Effect.provide(store))
      )
  }

  it.effect("is told of by its start, however long it is", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const operation = yield* send(id)
      const { details } = yield* hear(id, operation, says("SETTLED", { providerReference: "x".repeat(5_000) }))
      assert.isBelow(details.unresolved_because?.length ?? 0, 500)
      const short = yield* hear(id, yield* send(id), says("SETTLED", { providerReference: "t\u0000" }))
      assert.include(short.details.unresolved_because, "t\uFFFD, an id that cannot be stored")
    }).pipe(Effect.provide(store))
  )

  it.effect("does not hide that what had settled came back", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const settled = yield* paidIn(id)
      yield* hear(id, settled, says("RETURNED", { returned: of(5n, "X\u0000") }))
      yield* flags(id, settled, "X\uFFFD is said to have come back")
    }).pipe(Effect.provide(store))
  )
})
