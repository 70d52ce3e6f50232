import { PartnerApi } from "@bursar/api/PartnerApi"
import { type Client, createClient } from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { accepted, id, payout } from "../support/samples.ts"
import { json, stub } from "../support/stub.ts"

const apiKey = "service_test_a1B2c3D4_secret"

const offline = createClient({ baseUrl: "http://127.0.0.1:9", apiKey })

/** Waits until a call was made; what it is answered does not matter. */
const sent = (call: Promise<unknown>) => call.catch(() => undefined)

describe("a client", () => {
  it("has a function for every endpoint of the contract, and nothing else but `each`", () => {
    const expected: Array<string> = []
    HttpApi.reflect(PartnerApi, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, group }) => expected.push(`${group.identifier}.${endpoint.identifier}`)
    })
    const found = Object.entries(offline).flatMap(([group, calls]) =>
      Object.keys(calls).map((name) => `${group}.${name}`)
    )
    assert.sameMembers(
      found.filter((name) => !name.endsWith(".each")),
      expected
    )
    assert.sameMembers(
      found.filter((name) => name.endsWith(".each")),
      ["depositAddresses.each", "deposits.each", "events.each", "register.each"]
    )
  })

  it("fits the contract: an endpoint has at most one parameter in its path, and a body or a query, not both", () => {
    HttpApi.reflect(PartnerApi, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => {
        assert.isAtMost(endpoint.path.split(":").length, 2, endpoint.path)
        assert.isFalse(endpoint.payload.size > 0 && endpoint.query !== undefined, endpoint.path)
      }
    })
  })

  it("sends the id in the path, then the body or the query, then what the options say", async () => {
    const { baseUrl, heard } = await stub(json(200, {}))
    const client = createClient({ baseUrl: `${baseUrl}/`, apiKey })
    await sent(client.chainPayouts.create(payout, { idempotencyKey: "payout-1", requestId: "mine-1" }))
    await sent(client.chainPayouts.get(id, { requestId: "mine-2" }))
    await sent(client.depositAddresses.sweepHold(id, { held: true, reason: "audit" }))
    await sent(client.depositAddresses.watchNow(id))
    await sent(client.accounts.entries(id, { limit: 5 }))
    await sent(client.deposits.list())
    await sent(client.deposits.list({ after: 7, reference: "a b" }, {}))
    await sent(client.introspection.operationByKey("payout-1/x"))
    assert.deepStrictEqual(
      heard.map(({ method, url }) => `${method} ${url}`),
      [
        "POST /v1/chain-payouts",
        `GET /v1/chain-payouts/${id}`,
        `POST /v1/deposit-addresses/${id}/sweep-hold`,
        `POST /v1/deposit-addresses/${id}/watch-now`,
        `GET /v1/accounts/${id}/entries?limit=5`,
        "GET /v1/deposits",
        "GET /v1/deposits?after=7&reference=a+b",
        "GET /v1/operations/by-key/payout-1%2Fx"
      ]
    )
    assert.deepStrictEqual(JSON.parse(String(heard[0]?.body)), payout)
    assert.strictEqual(heard[0]?.headers["idempotency-key"], "payout-1")
    assert.strictEqual(heard[0]?.headers["x-request-id"], "mine-1")
    assert.strictEqual(heard[1]?.headers["x-request-id"], "mine-2")
    assert.deepStrictEqual(JSON.parse(String(heard[2]?.body)), { held: true, reason: "audit" })
    assert.strictEqual(String(heard[3]?.body), "")
    for (const { headers } of heard) {
      assert.strictEqual(headers.authorization, `Bearer ${apiKey}`)
      assert.notProperty(headers, "traceparent")
    }
  })

  it("makes an idempotency key for each call that takes one, and for no other", async () => {
    const { baseUrl, heard } = await stub(json(200, {}))
    const client = createClient({ baseUrl, apiKey })
    await sent(client.chainPayouts.create(payout))
    await sent(client.chainPayouts.create(payout))
    await sent(client.depositAddresses.retire(id))
    await sent(client.introspection.whoami())
    const keys = heard.map(({ headers }) => headers["idempotency-key"])
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/u)
    assert.match(String(keys[1]), /^[0-9a-f-]{36}$/u)
    assert.notStrictEqual(keys[0], keys[1])
    assert.deepStrictEqual(keys.slice(2), [undefined, undefined])
  })

  it("leaves out members that are undefined, as JSON does", async () => {
    const { baseUrl, heard } = await stub(json(200, {}))
    const client = createClient({ baseUrl, apiKey })
    // what callers without exactOptionalPropertyTypes write
    const destination = { address: "T", memo: undefined } as unknown as typeof payout.destination
    await sent(client.chainPayouts.create({ ...payout, destination }))
    await sent(client.withdrawals.list({ limit: undefined } as unknown as { readonly limit: number }))
    assert.deepStrictEqual(JSON.parse(String(heard[0]?.body)).destination, { address: "T" })
    assert.strictEqual(heard[1]?.url, "/v1/withdrawals")
  })

  it("gives the answer as it came, with what a later service adds to it", async () => {
    const later = { ...accepted, status: "TELEPORTED", review: { by: "two" } }
    const { baseUrl } = await stub(json(201, later))
    assert.deepEqual(await createClient({ baseUrl, apiKey }).chainPayouts.create(payout), later as unknown as Answer)
  })

  it("tells what else stands in an answer", async () => {
    const { baseUrl } = await stub(
      json(201, accepted, { "x-request-id": "request-7", "idempotency-replayed": "true", "x-more": "1" })
    )
    const told: Array<unknown> = []
    await createClient({ baseUrl, apiKey }).chainPayouts.create(payout, {
      onAnswer: ({ headers, replayed, requestId, status }) =>
        told.push([status, requestId, replayed, headers.get("x-more")])
    })
    assert.deepStrictEqual(told, [[201, "request-7", true, "1"]])
  })

  it("refuses by its types what the contract does not take", async () => {
    const { baseUrl, heard } = await stub(json(200, {}))
    const client = createClient({ baseUrl, apiKey })
    // @ts-expect-error a reading has no idempotency key
    await sent(client.chainPayouts.get(id, { idempotencyKey: "k" }))
    assert.notProperty(heard[0]?.headers, "idempotency-key")
    for (const call of [
      // @ts-expect-error there is no payout without a body
      () => client.chainPayouts.create(),
      // @ts-expect-error amounts are text
      () => client.withdrawals.create({ amount: { amount: 1, currency: "ETH" } })
    ]) {
      const error: unknown = await call().catch((error: unknown) => error)
      assert.include(error, { code: "invalid_request" })
    }
    assert.lengthOf(heard, 1)
  })

  it("follows no redirect, which would carry the key elsewhere", async () => {
    const { baseUrl, heard } = await stub((response) => void response.writeHead(307, { location: "/elsewhere" }).end())
    const error = await createClient({ baseUrl, apiKey })
      .introspection.whoami()
      .catch((error: unknown) => error)
    assert.include(error, { code: "answer_unreadable", status: 307 })
    assert.lengthOf(heard, 1)
  })

  it("sends with the fetch it is given", async () => {
    const asked: Array<string> = []
    const client = createClient({
      baseUrl: "https://api.example.test",
      apiKey,
      fetch: async (input) => {
        asked.push(String(input))
        return Response.json({ fees: [] })
      }
    })
    assert.deepStrictEqual(await client.introspection.fees(), { fees: [] })
    assert.deepStrictEqual(asked, ["https://api.example.test/v1/fees"])
  })

  it("cannot be made of what is no address, no key, or no signing key, and shows none of it", () => {
    const d = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    for (const options of [
      { baseUrl: "nowhere", apiKey },
      { baseUrl: "ftp://api.example.test", apiKey },
      { baseUrl: "https://api.example.test?a=1", apiKey },
      { baseUrl: "https://partner:hunter2@api.example.test", apiKey },
      { baseUrl: new URL("https://partner@api.example.test"), apiKey },
      { baseUrl: "https://api.example.test", apiKey: "" },
      { baseUrl: "https://api.example.test", apiKey: "two\nlines" },
      { baseUrl: "https://api.example.test", apiKey, signingKey: { kty: "OKP", crv: "Ed25519", d } }
    ]) {
      try {
        createClient(options)
        assert.fail(`a client of ${JSON.stringify(options)}`)
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.notInclude(String(error), d)
        assert.notInclude(String(error), "lines")
        assert.notInclude(String(error), "hunter2")
      }
    }
  })
})

type Answer = Awaited<ReturnType<Client["chainPayouts"]["create"]>>
