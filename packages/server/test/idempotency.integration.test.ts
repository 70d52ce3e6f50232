import { stored } from "./support/stored.ts"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { addressOf, written } from "./support/written.ts"

let next = 0
const fresh = () => {
  next += 1
  return { addresses: [{ network: "ethereum", address: addressOf(next), reference: "r" }] }
}

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

layer(Partner.layer(), { excludeTestServices: true })("an idempotency key", (it) => {
  const setUp = Effect.gen(function* () {
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const post = (idempotencyKey: string | undefined, body: unknown) =>
      send("POST", "/v1/deposit-addresses", {
        key,
        body,
        headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
      })
    return { tenant, key, post, send, state, seeder }
  })

  it.effect("is needed, and must be of the form", () =>
    Effect.gen(function* () {
      const { post, state, tenant } = yield* setUp
      const before = written(state, tenant)
      assert.deepStrictEqual(codeOf(yield* post(undefined, fresh())), [422, "idempotency_key_required"])
      assert.deepStrictEqual(codeOf(yield* post("", fresh())), [422, "idempotency_key_required"])
      for (const key of ["a b", "x".repeat(256), '"open', "a/b", "a,b"]) {
        assert.deepStrictEqual(codeOf(yield* post(key, fresh())), [422, "idempotency_key_invalid"], key)
      }
      assert.deepStrictEqual(written(state, tenant), before)
    })
  )

  it.effect("gives the same request the same answer, to the byte, and says so", () =>
    Effect.gen(function* () {
      const { post, state, tenant } = yield* setUp
      const body = fresh()
      const first = yield* post("same", body)
      assert.strictEqual(first.status, 200)
      assert.isUndefined(first.headers["idempotency-replayed"])
      const after = written(state, tenant)
      const reordered = {
        addresses: body.addresses.map(({ address, network, reference }) => ({ reference, address, network }))
      }
      for (const [key, again] of [
        ["same", body],
        ['"same"', body],
        ["same", reordered]
      ] as const) {
        const replay = yield* post(key, again)
        assert.strictEqual(replay.text, first.text)
        assert.strictEqual(replay.status, 200)
        assert.strictEqual(replay.headers["idempotency-replayed"], "true")
      }
      assert.deepStrictEqual(written(state, tenant), after)
    })
  )

  it.effect("is never good for another request", () =>
    Effect.gen(function* () {
      const { post, state, tenant } = yield* setUp
      yield* post("once", fresh())
      const after = written(state, tenant)
      assert.deepStrictEqual(codeOf(yield* post("once", fresh())), [422, "idempotency_key_reused"])
      assert.deepStrictEqual(written(state, tenant), after)
    })
  )

  it.effect("belongs to its tenant alone", () =>
    Effect.gen(function* () {
      const one = yield* setUp
      const other = yield* setUp
      assert.strictEqual((yield* one.post("shared", fresh())).status, 200)
      const answer = yield* other.post("shared", fresh())
      assert.strictEqual(answer.status, 200)
      assert.isUndefined(answer.headers["idempotency-replayed"])
    })
  )

  it.effect("is not used up by a request that its schema refuses", () =>
    Effect.gen(function* () {
      const { post } = yield* setUp
      assert.deepStrictEqual(codeOf(yield* post("again", { addresses: [] })), [422, "invalid_request"])
      assert.strictEqual((yield* post("again", fresh())).status, 200)
    })
  )

  it.effect("gives fifty racers one effect and one answer", () =>
    Effect.gen(function* () {
      const { post, state, tenant } = yield* setUp
      const body = { addresses: [...fresh().addresses, ...fresh().addresses] }
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => post("race", body)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      assert.strictEqual(answers.filter(({ headers }) => headers["idempotency-replayed"] === "true").length, 49)
      assert.strictEqual(stored(state, tenant, DepositAddress).size, 2)
      assert.strictEqual(stored(state, tenant, IdempotencyRecord).size, 1)
    })
  )

  it.effect("can be looked up by any key of the tenant", () =>
    Effect.gen(function* () {
      const { seeder, post, send, tenant } = yield* setUp
      yield* post("made", fresh())
      const nobody = yield* seeder.key(tenant, [])
      const { body, status } = yield* send("GET", "/v1/operations/by-key/made", { key: nobody })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, {
        key: "made",
        endpoint: "POST /v1/deposit-addresses",
        state: "COMPLETED",
        response_status: 200,
        operation: null
      })
      assert.strictEqual(body.completed_at, body.claimed_at)
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      for (const [path, key] of [
        ["made", otherPartner],
        ["nothing", nobody],
        ["%20", nobody],
        ["x".repeat(300), nobody],
        ["%00", nobody]
      ] as const) {
        assert.deepStrictEqual(
          codeOf(yield* send("GET", `/v1/operations/by-key/${path}`, { key })),
          [404, "no_operation_for_key"],
          path
        )
      }
      const long = "x".repeat(255)
      yield* post(long, fresh())
      assert.strictEqual((yield* send("GET", `/v1/operations/by-key/${long}`, { key: nobody })).status, 200)
    })
  )
})
