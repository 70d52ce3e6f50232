import { addressItem } from "@bursar/testkit/fixtures/deposits"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { written } from "./support/written.ts"

/** Accounts m/44'/60'/0' and m/44'/195'/0' of the mnemonic "abandon × 11 about"; nobody uses them. */
const account =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
const other =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"
/** BIP 32, test vector 1: the private side of m/0' and the public key at depth 1. */
const privateKey =
  "xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7"
const shallow =
  "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw"
const testNetwork =
  "tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba"

const first = ["0x9858effd232b4033e47d90003d41ec34ecaeda94", "0x6fac4d18c912343bf86fa7049364dd4e424ab9c0"]

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** Each on a server of its own: an address has one owner among all tenants. */
const test = <A, E>(name: string, effect: Effect.Effect<A, E, Partner>) =>
  it.live(name, () => Effect.provide(effect, Partner.layer()))

describe("xpubs and what is derived from them", () => {
  let keys = 0
  const setUp = Effect.gen(function* () {
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const post = (path: string, body?: unknown, idempotencyKey = `x${(keys += 1)}`) =>
      send("POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })
    const get = (path: string) => send("GET", path, { key })
    const register = (more: object = {}) =>
      post("/v1/deposit-xpubs", { network: "ethereum", xpub: account, index_from: 0, index_to: 99, ...more })
    const derive = (count: unknown, more: object = {}, idempotencyKey?: string) =>
      post("/v1/deposit-addresses/derive", { network: "ethereum", reference: "r", count, ...more }, idempotencyKey)
    return { tenant, key, post, get, send, state, seeder, register, derive, seen: () => written(state, tenant) }
  })

  test(
    "are registered, listed, retired for good, and told again under their key",
    Effect.gen(function* () {
      const { get, post, register } = yield* setUp
      const { body: xpub, status } = yield* register({ index_from: 3 })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(xpub, {
        id: xpub.id,
        network: "ethereum",
        xpub: account,
        index_from: 3,
        index_to: 99,
        next_index: 3,
        retired_at: null,
        created_at: xpub.created_at
      })
      assert.deepStrictEqual((yield* get("/v1/deposit-xpubs")).body, { xpubs: [xpub] })
      assert.deepStrictEqual((yield* get("/v1/deposit-xpubs?network=tron")).body, { xpubs: [] })
      assert.deepStrictEqual(codeOf(yield* get("/v1/deposit-xpubs?network=doge")), [422, "unknown_network"])
      assert.deepStrictEqual(codeOf(yield* register()), [409, "xpub_already_live"])
      assert.deepStrictEqual(codeOf(yield* register({ xpub: other })), [409, "xpub_already_live"])
      const base = yield* register({ network: "base" })
      assert.strictEqual(base.status, 200)
      const retired = yield* post(`/v1/deposit-xpubs/${xpub.id}/retire`)
      assert.isNotNull(retired.body.retired_at)
      assert.deepStrictEqual((yield* post(`/v1/deposit-xpubs/${xpub.id}/retire`)).body, retired.body)
      assert.deepStrictEqual((yield* get("/v1/deposit-xpubs")).body, { xpubs: [base.body] })
      assert.deepStrictEqual((yield* get("/v1/deposit-xpubs?include_retired=true")).body, {
        xpubs: [retired.body, base.body]
      })
      const absent = `/v1/deposit-xpubs/${crypto.randomUUID()}/retire`
      assert.deepStrictEqual(codeOf(yield* post(absent)), [404, "not_found"])
    })
  )

  test(
    "that are none are refused by what is wrong with them, and nothing is stored but the refusal",
    Effect.gen(function* () {
      const { register, seen } = yield* setUp
      const before = seen()
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ xpub: privateKey }, "xpub_invalid"],
        [{ xpub: shallow }, "xpub_not_depth_3"],
        [{ xpub: testNetwork }, "xpub_invalid"],
        [{ xpub: `${account.slice(0, -1)}u` }, "xpub_invalid"],
        [{ xpub: "garbage" }, "xpub_invalid"],
        [{ network: "doge" }, "unknown_network"],
        [{ network: "bitcoin" }, "unknown_network"],
        [{ index_from: 5, index_to: 4 }, "invalid_request"],
        [{ index_from: -1 }, "invalid_request"],
        [{ index_to: 2 ** 31 }, "invalid_request"],
        [{ index_to: 0.5 }, "invalid_request"],
        [{ destination: "x" }, "unknown_field"]
      ]
      for (const [more, code] of cases) {
        const answer = yield* register(more)
        assert.deepStrictEqual(codeOf(answer), [422, code])
        assert.notInclude(answer.text, privateKey.slice(4))
      }
      assert.deepStrictEqual(seen().keys, before.keys)
      assert.deepStrictEqual(seen().claimed, before.claimed)
      assert.strictEqual((yield* register({ index_to: 2 ** 31 - 1 })).status, 200)
    })
  )

  test(
    "give addresses in order, all under one reference, and the same again under the same key",
    Effect.gen(function* () {
      const { derive, get, register } = yield* setUp
      const { body: xpub } = yield* register()
      const answer = yield* derive(2, {}, "the key")
      assert.strictEqual(answer.status, 422)
      const derived = yield* derive(2, {}, "the-key")
      assert.strictEqual(derived.status, 200)
      const { addresses, ...rest } = derived.body
      assert.deepStrictEqual(rest, { xpub_id: xpub.id, network: "ethereum", next_index: 2 })
      assert.deepStrictEqual(
        addresses.map((one: Record<string, unknown>) => [
          one["address"],
          one["derivation_index"],
          one["source"],
          one["xpub_id"],
          one["reference"],
          one["sweeps_enabled"]
        ]),
        first.map((address, index) => [address, index, "DERIVED", xpub.id, "r", null])
      )
      const again = yield* derive(2, {}, "the-key")
      assert.deepStrictEqual([again.text, again.headers["idempotency-replayed"]], [derived.text, "true"])
      assert.deepStrictEqual(codeOf(yield* derive(3, {}, "the-key")), [422, "idempotency_key_reused"])
      assert.deepStrictEqual((yield* get("/v1/deposit-addresses?reference=r")).body.addresses, addresses)
      const told = (yield* get("/v1/operations/by-key/the-key")).body
      assert.deepStrictEqual(
        [told.endpoint, told.state, told.response_status, told.operation],
        ["POST /v1/deposit-addresses/derive", "COMPLETED", 200, null]
      )
    })
  )

  test(
    "give none where they cannot give all",
    Effect.gen(function* () {
      const { derive, seeder, post, register, seen, tenant } = yield* setUp
      assert.deepStrictEqual(codeOf(yield* derive(1)), [422, "no_live_xpub"])
      const { body: xpub } = yield* register({ index_to: 4 })
      for (const count of [0, 101, -1, 1.5, "2", null]) {
        assert.deepStrictEqual(codeOf(yield* derive(count)), [422, "invalid_request"])
      }
      const otherPartner = yield* seeder.tenant()
      yield* seeder.submit(otherPartner, registerAddresses([addressItem(first[1] ?? "")]))
      const before = seen()
      const exhausted = yield* derive(6)
      assert.deepStrictEqual(codeOf(exhausted), [422, "xpub_range_exhausted"])
      assert.deepStrictEqual(exhausted.body.error.detail, { remaining: 5 })
      assert.deepStrictEqual(codeOf(yield* derive(2)), [422, "address_unavailable"])
      for (const network of ["doge", "bitcoin"]) {
        assert.deepStrictEqual(codeOf(yield* derive(1, { network })), [422, "unknown_network"])
      }
      assert.deepStrictEqual(codeOf(yield* derive(1, { network: "bsc" })), [422, "no_live_xpub"])
      assert.deepStrictEqual({ ...seen(), counts: [] }, { ...before, counts: [] })
      assert.strictEqual((yield* derive(1)).body.next_index, 1)
      yield* post(`/v1/deposit-xpubs/${xpub.id}/retire`)
      assert.deepStrictEqual(codeOf(yield* derive(1)), [422, "no_live_xpub"])
      assert.isAbove(tenant.length, 0)
    })
  )

  test(
    "go on where they were when they are registered again",
    Effect.gen(function* () {
      const { derive, post, register } = yield* setUp
      const { body: xpub } = yield* register()
      yield* derive(2)
      yield* post(`/v1/deposit-xpubs/${xpub.id}/retire`)
      assert.deepStrictEqual(codeOf(yield* register({ index_to: 1 })), [422, "xpub_range_exhausted"])
      const again = yield* register()
      assert.strictEqual(again.body.next_index, 2)
      assert.strictEqual((yield* derive(1)).body.addresses[0].derivation_index, 2)
    })
  )

  test(
    "give each index to one of many callers at once",
    Effect.gen(function* () {
      const { derive, register } = yield* setUp
      yield* register({ index_to: 1_000 })
      const counts = Array.from({ length: 40 }, (_, index) => 1 + (index % 4))
      const answers = yield* Effect.forEach(counts, (count) => derive(count), { concurrency: "unbounded" })
      const indexes = answers
        .flatMap(({ body, status }) => {
          assert.strictEqual(status, 200)
          return body.addresses.map((one: { derivation_index: number }) => one.derivation_index)
        })
        .toSorted((left: number, right: number) => left - right)
      assert.deepStrictEqual(
        indexes,
        indexes.map((_: number, index: number) => index)
      )
    })
  )
})
