import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { timestampMin } from "@bursar/core/base/Timestamp"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"
import { addressOf, written } from "./support/written.ts"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

layer(Partner.layer(), { excludeTestServices: true })("deposit addresses", (it) => {
  let keys = 0
  const setUp = Effect.gen(function* () {
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const register = (body: unknown, as?: string) => {
      keys += 1
      return send("POST", "/v1/deposit-addresses", { key, body, headers: { "idempotency-key": as ?? `k${keys}` } })
    }
    const get = (path: string) => send("GET", path, { key })
    const post = (path: string) => send("POST", path, { key })
    return { tenant, key, register, get, post, send, state, seeder }
  })

  it.effect("end as registered, existing or refused, each on its own and in order", () =>
    Effect.gen(function* () {
      const { seeder, register, send } = yield* setUp
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      const taken = { network: "ethereum", address: addressOf(901), reference: "theirs" }
      yield* send("POST", "/v1/deposit-addresses", {
        key: otherPartner,
        body: { addresses: [taken] },
        headers: { "idempotency-key": "k" }
      })
      const good = { network: "ethereum", address: addressOf(900), reference: "r-1" }
      const { body, status } = yield* register({
        addresses: [
          { ...good, watch_from: "2026-01-02T03:04:05.678901Z", watch_from_block: 7 },
          { ...good, reference: "again" },
          taken,
          { ...good, network: "dogecoin" },
          { ...good, network: "bitcoin" },
          { ...good, address: `0x${"f".repeat(40)}` },
          { ...good, address: addressOf(902), watch_from: "2999-01-01T00:00:00Z" },
          { ...good, network: "base" }
        ]
      })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        body.results.map(({ error, index, status }: never) => [
          index,
          status,
          (error as { code?: string } | null)?.code ?? null
        ]),
        [
          [0, "registered", null],
          [1, "existing", null],
          [2, "refused", "address_unavailable"],
          [3, "refused", "unknown_network"],
          [4, "refused", "unknown_network"],
          [5, "refused", "address_invalid"],
          [6, "refused", "invalid_request"],
          [7, "registered", null]
        ]
      )
      const [{ address }] = body.results
      assert.deepStrictEqual(address, {
        id: address.id,
        network: "ethereum",
        address: addressOf(900),
        reference: "r-1",
        source: "REGISTERED",
        xpub_id: null,
        seed_id: null,
        derivation_index: null,
        watch_from: "2026-01-02T03:04:05.679Z",
        watch_from_block: 7,
        sweep_held_at: null,
        sweep_hold_reason: null,
        sweep_hold_kind: null,
        retired_at: null,
        created_at: address.created_at,
        watch_now_until: null,
        sweeps_enabled: null,
        watched_networks: ["ethereum", "bsc", "base"],
        sibling_of: null
      })
      assert.strictEqual(body.results[1].address.id, address.id)
    })
  )

  it.effect(
    "are registered beside texts that are no address or network, of any length, of which little is repeated or kept",
    () =>
      Effect.gen(function* () {
        const { register, state, tenant } = yield* setUp
        const good = { network: "ethereum", address: addressOf(905), reference: "r" }
        const long = "1".repeat(200_000)
        const { body, status, text } = yield* register({
          addresses: [
            { ...good, address: "" },
            { ...good, address: "0".repeat(129) },
            { ...good, address: long },
            { ...good, network: "" },
            { ...good, network: "ethereum-sepolia-test" },
            { ...good, network: long },
            good
          ]
        })
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual(
          body.results.map(
            ({ error, status: ended }: { error: { code: string } | null; status: string }) => error?.code ?? ended
          ),
          [
            ...["address_invalid", "address_invalid", "address_invalid"],
            ...["unknown_network", "unknown_network", "unknown_network"],
            "registered"
          ]
        )
        assert.notInclude(text, "1".repeat(129))
        const [answer] = stored(state, tenant, IdempotencyRecord).values()
        assert.notInclude(JSON.stringify(answer), "1".repeat(129))
        assert.strictEqual(stored(state, tenant, DepositAddress).size, 1)
      })
  )

  it.effect("are judged one by one, though one of them or its network holds a NUL, and answered so again", () =>
    Effect.gen(function* () {
      const { register, state, tenant } = yield* setUp
      const good = { network: "ethereum", address: addressOf(950), reference: "r" }
      const body = {
        addresses: [
          { ...good, address: `${addressOf(951)}\u0000` },
          { ...good, network: "ether\u0000eum" },
          { ...good, network: "\u0000", address: "\u0000" },
          good
        ]
      }
      const first = yield* register(body, "nul")
      assert.strictEqual(first.status, 200, first.text)
      assert.deepStrictEqual(
        first.body.results.map(
          ({ error, status }: { error: { code: string } | null; status: string }) => error?.code ?? status
        ),
        ["address_invalid", "unknown_network", "unknown_network", "registered"]
      )
      assert.strictEqual((yield* register(body, "nul")).text, first.text)
      const other = { addresses: [{ ...good, address: addressOf(951) }, ...body.addresses.slice(1)] }
      assert.deepStrictEqual(codeOf(yield* register(other, "nul")), [422, "idempotency_key_reused"])
      assert.strictEqual(stored(state, tenant, DepositAddress).size, 1)
    })
  )

  it.effect("are not touched by a body that breaks the contract, and each fault is named", () =>
    Effect.gen(function* () {
      const { register, state, tenant } = yield* setUp
      const before = written(state, tenant)
      const good = { network: "ethereum", address: addressOf(910), reference: "r" }
      const cases: ReadonlyArray<readonly [unknown, string, string]> = [
        [null, "invalid_request", "body"],
        [[], "invalid_request", "body"],
        [{}, "invalid_request", "body.addresses"],
        [{ addresses: {} }, "invalid_request", "body.addresses"],
        [{ addresses: [] }, "invalid_request", "body.addresses"],
        [{ addresses: Array.from({ length: 501 }, () => good) }, "invalid_request", "body.addresses"],
        [{ addresses: [good, ...Array.from({ length: 20_000 }, () => ({}))] }, "invalid_request", ""],
        [{ addresses: [good], destination: "0x" }, "unknown_field", "body.destination"],
        [{ addresses: [{ ...good, sweep: true }] }, "unknown_field", "body.addresses.0.sweep"],
        [{ addresses: [good, { network: "ethereum", reference: "r" }] }, "invalid_request", "body.addresses.1.address"],
        [{ addresses: [{ ...good, reference: 7 }] }, "invalid_request", "body.addresses.0.reference"],
        [{ addresses: [{ ...good, reference: "" }] }, "invalid_request", "body.addresses.0.reference"],
        [{ addresses: [{ ...good, reference: "x".repeat(201) }] }, "invalid_request", "body.addresses.0.reference"],
        [{ addresses: [{ ...good, reference: "a\u0000b" }] }, "invalid_request", "body.addresses.0.reference"],
        [{ addresses: [{ ...good, reference: "\ud800" }] }, "invalid_request", "body.addresses.0.reference"],
        [{ addresses: [good, { ...good, address: "\ud800" }] }, "invalid_request", "body.addresses.1.address"],
        [{ addresses: [good, { ...good, network: "\udc00" }] }, "invalid_request", "body.addresses.1.network"],
        [{ addresses: [{ ...good, "address\u0000": "x" }] }, "invalid_request", "body.addresses.0"],
        [{ addresses: [{ ...good, watch_from: "yesterday" }] }, "invalid_request", "body.addresses.0.watch_from"],
        [
          { addresses: [{ ...good, watch_from: "0000-01-01T00:00:00+01:00" }] },
          "invalid_request",
          "body.addresses.0.watch_from"
        ],
        [{ addresses: [{ ...good, watch_from: 1_700_000_000 }] }, "invalid_request", "body.addresses.0.watch_from"],
        [{ addresses: [{ ...good, watch_from_block: -1 }] }, "invalid_request", "body.addresses.0.watch_from_block"],
        [{ addresses: [{ ...good, watch_from_block: 1.5 }] }, "invalid_request", "body.addresses.0.watch_from_block"]
      ]
      for (const [body, code, path] of cases) {
        const answer = yield* register(body)
        assert.deepStrictEqual(codeOf(answer), [422, code], path)
        const paths = (answer.body.error.fields ?? [{ path: "" }]).map((field: { readonly path: string }) => field.path)
        assert.include(paths, path)
      }
      assert.deepStrictEqual(written(state, tenant), before)
    })
  )

  it.effect("are listed oldest first, page by page, by network, reference and address in any writing", () =>
    Effect.gen(function* () {
      const { get, post, register } = yield* setUp
      const numbers = [0xab1, 0xab2, 0xab3, 0xab4, 0xab5]
      for (const number of numbers) {
        yield* register({
          addresses: [
            { network: number % 2 === 0 ? "bsc" : "ethereum", address: addressOf(number), reference: `r-${number % 2}` }
          ]
        })
      }
      const addresses = ({ body }: Answer): ReadonlyArray<string> =>
        body.addresses.map(({ address }: { readonly address: string }) => address)
      const first = yield* get("/v1/deposit-addresses?limit=2")
      assert.deepStrictEqual(addresses(first), [addressOf(0xab1), addressOf(0xab2)])
      const second = yield* get(`/v1/deposit-addresses?limit=2&after=${first.body.next_after}`)
      const third = yield* get(`/v1/deposit-addresses?limit=2&after=${second.body.next_after.toUpperCase()}`)
      assert.deepStrictEqual(
        [...addresses(second), ...addresses(third)],
        [addressOf(0xab3), addressOf(0xab4), addressOf(0xab5)]
      )
      assert.isNull(third.body.next_after)
      assert.isNull((yield* get("/v1/deposit-addresses?limit=5")).body.next_after)
      assert.deepStrictEqual(addresses(yield* get("/v1/deposit-addresses?network=bsc&reference=r-0")), [
        addressOf(0xab2),
        addressOf(0xab4)
      ])
      const upper = addressOf(0xab3).toUpperCase().replace("0X", "0x")
      assert.deepStrictEqual(addresses(yield* get(`/v1/deposit-addresses?address=${upper}`)), [addressOf(0xab3)])
      yield* post(`/v1/deposit-addresses/${first.body.addresses[0].id}/retire`)
      assert.strictEqual(addresses(yield* get("/v1/deposit-addresses")).length, 4)
      assert.strictEqual(addresses(yield* get("/v1/deposit-addresses?include_retired=true")).length, 5)
      for (const [query, code] of [
        ["limit=0", "limit_out_of_range"],
        ["limit=501", "limit_out_of_range"],
        ["limit=ten", "invalid_request"],
        ["limit=1.5", "invalid_request"],
        ["network=dogecoin", "unknown_network"],
        [`network=${"x".repeat(21)}`, "invalid_request"],
        ["after=none", "invalid_request"],
        ["include_retired=maybe", "invalid_request"],
        [`reference=${"x".repeat(201)}`, "invalid_request"],
        ["reference=a%00b", "invalid_request"]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* get(`/v1/deposit-addresses?${query}`)), [422, code], query)
      }
    })
  )

  it.effect("are listed though one of them is watched from a moment before all that can be written", () =>
    Effect.gen(function* () {
      const { get, register, state, tenant } = yield* setUp
      yield* register({
        addresses: [1, 2].map((n) => ({ network: "base", address: addressOf(950 + n), reference: "r" }))
      })
      const records = stored(state, tenant, DepositAddress)
      const [[id, one] = assert.fail("none is stored")] = [...records]
      records.set(id, { ...one, watchFrom: timestampMin - 3_600_000 })
      const { body, status } = yield* get("/v1/deposit-addresses")
      assert.deepStrictEqual(
        [status, body.addresses.length, body.addresses[0].watch_from],
        [200, 2, "0000-01-01T00:00:00.000Z"]
      )
    })
  )

  it.effect("are retired for good, and only once; they can be looked at still", () =>
    Effect.gen(function* () {
      const { post, register } = yield* setUp
      const item = { network: "ethereum", address: addressOf(920), reference: "r" }
      const { body } = yield* register({ addresses: [item] })
      const path = `/v1/deposit-addresses/${body.results[0].address.id}`
      const retired = yield* post(`${path}/retire`)
      assert.strictEqual(retired.status, 200)
      assert.isNotNull(retired.body.retired_at)
      assert.deepStrictEqual(retired.body.watched_networks, [])
      assert.deepStrictEqual((yield* post(`${path}/retire`)).body, retired.body)
      const looked = yield* post(`${path}/watch-now`)
      assert.deepStrictEqual(
        [looked.status, looked.body.retired_at, looked.body.watched_networks],
        [200, retired.body.retired_at, []]
      )
      assert.isNotNull(looked.body.watch_now_until)
      const again = yield* register({ addresses: [item] })
      assert.strictEqual(again.body.results[0].status, "registered")
      assert.notStrictEqual(again.body.results[0].address.id, body.results[0].address.id)
    })
  )

  it.effect("are watched by nobody on a network that is off", () =>
    Effect.gen(function* () {
      const { get, register, state, tenant } = yield* setUp
      yield* register({ addresses: [{ network: "ethereum", address: addressOf(940), reference: "r" }] })
      const records = stored(state, tenant, DepositAddress)
      const [[id, one] = assert.fail("none is stored")] = [...records]
      for (const network of ["bitcoin", "tron", "stellar"]) {
        records.set(id, { ...one, network })
        const { body } = yield* get("/v1/deposit-addresses")
        assert.deepStrictEqual(body.addresses[0].watched_networks, [], network)
      }
    })
  )

  it.effect("are watched for an hour from the last time that it was asked for", () =>
    Effect.gen(function* () {
      const { post, register } = yield* setUp
      const { body } = yield* register({
        addresses: [{ network: "ethereum", address: addressOf(930), reference: "r" }]
      })
      const path = `/v1/deposit-addresses/${body.results[0].address.id}/watch-now`
      const first = yield* post(path)
      const second = yield* post(path)
      assert.strictEqual(first.status, 200)
      assert.isAtLeast(Date.parse(second.body.watch_now_until), Date.parse(first.body.watch_now_until))
      assert.isAbove(Date.parse(first.body.watch_now_until), Date.parse(first.body.created_at) + 59 * 60_000)
    })
  )
})
