import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"

const topup = { currency: "USDT_ETH", amount: "2.5", against: "custodian", reason: "Paid in on 3 March." }

/** A tenant with a float, and what operators and approvers do with it. */
const withFloat = Effect.gen(function* () {
  const { ann, approve, bob, propose, tenant } = yield* setUp
  const { operate } = yield* Operator
  const root = `/operator/v1/tenants/${tenant}`
  const adjust = (key: string | undefined, body: unknown = topup) =>
    operate("POST", `${root}/float-adjustments`, {
      body,
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
    })
  const grant = Effect.fnUntraced(function* (values: unknown) {
    const proposal = yield* propose({ kind: "adjustment", values })
    assert.strictEqual(proposal.status, 201, proposal.text)
    yield* approve(proposal, ann)
    return yield* approve(proposal, bob)
  })
  const available = Effect.map(operate("GET", `${root}/float`), ({ body }) => body.currencies[0].available.amount)
  return { adjust, available, grant, propose, root }
})

describe("where the service goes by grants, an adjustment under an idempotency key", () => {
  it.live("is made once: whoever asks for it again is told the operation that it became", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { adjust, available, grant, root } = yield* withFloat
        const { operate } = yield* Operator
        const first = yield* adjust("topup-3-march")
        assert.deepStrictEqual(codeOf(first), [409, "grant_required"])
        const granted = yield* grant(first.body.error.detail.values)
        assert.strictEqual(granted.body.state, "GRANTED", granted.text)
        const again = yield* adjust("topup-3-march")
        assert.strictEqual(again.status, 201, again.text)
        assert.strictEqual(again.headers["idempotency-replayed"], "true")
        const { adjustment_id: proposal, operation_id: made, state } = again.body
        assert.deepStrictEqual([state, proposal], ["booked", null])
        const { body } = yield* operate("GET", `${root}/operations/${made}`)
        assert.strictEqual(body.kind, "ADJUSTMENT")
        assert.strictEqual(yield* available, "2.5")
      }),
      layerGranted
    )
  )

  it.live("is proposed once, so that nobody approves it twice", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { adjust, propose } = yield* withFloat
        const [{ values }, { values: again }] = [
          (yield* adjust("topup-3-march")).body.error.detail,
          (yield* adjust("topup-3-march")).body.error.detail
        ]
        assert.deepStrictEqual(again, values)
        const open = yield* propose({ kind: "adjustment", values })
        assert.deepStrictEqual(
          codeOf(yield* propose({ kind: "adjustment", values })),
          [409, "state_conflict"],
          open.text
        )
      }),
      layerGranted
    )
  )

  it.live("is refused where the key was used for another", () =>
    Effect.provide(
      Effect.gen(function* () {
        const { adjust, available, grant } = yield* withFloat
        yield* grant((yield* adjust("topup-3-march")).body.error.detail.values)
        const other = yield* adjust("topup-3-march", { ...topup, amount: "3" })
        assert.deepStrictEqual(codeOf(other), [422, "idempotency_key_reused"])
        assert.deepStrictEqual(codeOf(yield* adjust("topup-4-march")), [409, "grant_required"])
        assert.deepStrictEqual(codeOf(yield* adjust(undefined)), [409, "grant_required"])
        assert.strictEqual(yield* available, "2.5")
      }),
      layerGranted
    )
  )
})
