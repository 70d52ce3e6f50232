import { stored } from "./support/stored.ts"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { request as nodeRequest } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Partner } from "./support/Partner.ts"
import { sendBytes } from "./support/rawRequest.ts"
import { addressOf, written } from "./support/written.ts"

const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

const registration = { addresses: [{ network: "ethereum", address: addressOf(1), reference: "r" }] }

const withoutRequestId = (body: { readonly error: { readonly request_id: string } }) =>
  JSON.stringify({ ...body, error: { ...body.error, request_id: "" } })

layer(Partner.layer(), { excludeTestServices: true })("every request", (it) => {
  it.effect("gets an id of its own, or keeps the caller's if it is visible ASCII of at most 128 characters", () =>
    Effect.gen(function* () {
      const { send } = yield* Partner
      const own = yield* send("GET", "/v1/whoami", { headers: { "x-request-id": "my-id/1" } })
      assert.strictEqual(own.headers["x-request-id"], "my-id/1")
      assert.strictEqual(own.body.error.request_id, "my-id/1")
      for (const given of ["two words", "x".repeat(129), "ä"]) {
        const { body, headers } = yield* send("GET", "/v1/whoami", { headers: { "x-request-id": given } })
        assert.notStrictEqual(headers["x-request-id"], given)
        assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/u)
        assert.strictEqual(body.error.request_id, headers["x-request-id"])
      }
    })
  )

  it.effect("is answered 404 where there is no such path", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      yield* seeder.tenant()
      for (const path of [
        "/",
        "/v2/whoami",
        "/v1/whoami/x",
        "/v1/deposit-addresses/x/y/z",
        "/v1/%zz",
        "/metrics",
        "/operator/v1/tenants"
      ]) {
        const { body, headers, status } = yield* send("GET", path)
        assert.deepStrictEqual([status, body.error.code], [404, "not_found"], path)
        assert.strictEqual(body.error.request_id, headers["x-request-id"], path)
      }
    })
  )

  it.effect("is answered 405 with Allow where the path has other methods", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      yield* seeder.tenant()
      const expected = [
        ["DELETE", "/v1/whoami", "GET, HEAD"],
        ["PUT", "/v1/deposit-addresses?limit=1", "POST, GET, HEAD"],
        ["GET", `/v1/deposit-addresses/${anId}/retire`, "POST"],
        ["POST", "/openapi.json", "GET, HEAD"],
        ["OPTIONS", "/v1/float", "GET, HEAD"]
      ] as const
      for (const [method, path, allow] of expected) {
        const { body, headers, status } = yield* send(method, path)
        assert.deepStrictEqual([status, body.error.code, headers.allow], [405, "method_not_allowed", allow], path)
        assert.isDefined(headers["x-request-id"])
      }
    })
  )

  it.effect("may not carry more than 1 MiB, said or unsaid", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const before = written(state, tenant)
      const padding = " ".repeat(1_048_577 - JSON.stringify(registration).length)
      const raw = JSON.stringify(registration) + padding
      const known = { key, headers: { "idempotency-key": "k" } }
      // A size that is declared comes before everything else, even before the key; any other is not read without one.
      for (const sent of [{ raw }, { raw, ...known }, { raw, chunked: true, ...known }]) {
        const { body, headers, status } = yield* send("POST", "/v1/deposit-addresses", sent)
        assert.deepStrictEqual([status, body.error.code], [413, "body_too_large"])
        assert.strictEqual(body.error.request_id, headers["x-request-id"])
      }
      assert.deepStrictEqual(written(state, tenant), before)
      const fits = JSON.stringify(registration) + padding.slice(1)
      assert.strictEqual(Buffer.byteLength(fits), 1_048_576)
      for (const chunked of [false, true]) {
        const { status } = yield* send("POST", "/v1/deposit-addresses", {
          raw: fits,
          chunked,
          key,
          headers: { "idempotency-key": "k" }
        })
        assert.strictEqual(status, 200)
      }
    })
  )

  it.effect("must carry JSON, called so", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const before = written(state, tenant)
      const post = (raw: string, type = "application/json") =>
        send("POST", "/v1/deposit-addresses", { key, raw, headers: { "content-type": type, "idempotency-key": "k" } })
      for (const raw of ["{", '{"addresses":[}', "undefined", "\u0000"]) {
        const { body, status } = yield* post(raw)
        assert.deepStrictEqual([status, body.error.code], [400, "malformed_request"], raw)
      }
      for (const type of [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x"
      ]) {
        const { body, headers, status } = yield* post(JSON.stringify(registration), type)
        assert.deepStrictEqual([status, body.error.code], [415, "unsupported_media_type"], type)
        assert.isDefined(headers["x-request-id"])
      }
      assert.deepStrictEqual(written(state, tenant), before)
      const { status } = yield* post(JSON.stringify(registration), "application/json; charset=utf-8")
      assert.strictEqual(status, 200)
    })
  )

  it.effect("is refused where it is no UTF-8 or said to be of another encoding, and nothing of it is kept", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const before = written(state, tenant)
      const body = { addresses: [{ network: "ethereum", address: addressOf(79), reference: "Jos\u00e9" }] }
      const post = (raw: string | Buffer, type = "application/json") =>
        send("POST", "/v1/deposit-addresses", { key, raw, headers: { "content-type": type, "idempotency-key": "k" } })
      const codeOf = ({ body: { error }, status }: Effect.Success<ReturnType<typeof post>>) => [status, error?.code]
      const text = JSON.stringify(body)
      assert.deepStrictEqual(codeOf(yield* post(Buffer.from(text, "latin1"))), [400, "malformed_request"])
      for (const charset of ["ISO-8859-1", '"iso-8859-1"', "utf-16", "windows-1252"])
        for (const type of [`application/json; charset=${charset}`, `application/json;v=1;Charset=${charset}; x=y`])
          assert.deepStrictEqual(codeOf(yield* post(text, type)), [415, "unsupported_media_type"], type)
      assert.deepStrictEqual(written(state, tenant), before)
      const kept = yield* post(text, 'application/json; charset="UTF-8"')
      assert.strictEqual(kept.body.results[0].address.reference, "Jos\u00e9")
      // who means the character that stands for bytes that cannot be read may send it
      const meant = { addresses: [{ ...body.addresses[0], address: addressOf(78), reference: "\uFFFD" }] }
      const { status } = yield* send("POST", "/v1/deposit-addresses", {
        key,
        body: meant,
        headers: { "idempotency-key": "k2" }
      })
      assert.strictEqual(status, 200)
    })
  )

  it.effect("is refused where an object of its body names a field twice: who screened it may have read the other", () =>
    Effect.gen(function* () {
      const { seeder, send, state } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const before = written(state, tenant)
      const [item] = registration.addresses
      const other = `{"network":"ethereum","address":"${addressOf(76)}","reference":"r"}`
      const one = JSON.stringify(item)
      for (const raw of [
        `{"addresses":[${one}],"addresses":[${other}]}`,
        `{"addresses":[${one.slice(0, -1)},"\\u0061ddress":"${addressOf(76)}"}]}`
      ]) {
        const headers = { "idempotency-key": "k" }
        const { body, status } = yield* send("POST", "/v1/deposit-addresses", { key, raw, headers })
        assert.deepStrictEqual([status, body.error?.code], [422, "invalid_request"], raw)
      }
      assert.deepStrictEqual(written(state, tenant), before)
    })
  )

  it.effect("is refused where its query is no UTF-8, instead of finding nothing", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const ask = (query: string) => send("GET", `/v1/deposit-addresses?${query}`, { key })
      for (const query of ["reference=caf%E9", "reference=%ED%A0%80", "reference=a&x%ff=1", "reference=%C3a%A9"]) {
        const { body, status } = yield* ask(query)
        assert.deepStrictEqual([status, body.error?.code], [422, "invalid_request"], query)
      }
      for (const query of ["reference=caf%C3%A9", "reference=100%", "reference=%zz", "reference=a+b%20c"])
        assert.strictEqual((yield* ask(query)).status, 200, query)
    })
  )

  it.effect("that is no HTTP is answered with the error body and an id, too", () =>
    Effect.gen(function* () {
      const { url } = yield* Partner
      for (const bytes of ["nonsense\r\n\r\n", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`]) {
        const heard = yield* sendBytes(url, bytes)
        const [head = "", body = ""] = heard.split("\r\n\r\n")
        assert.match(head, /^HTTP\/1\.1 400 /u)
        assert.strictEqual(JSON.parse(body).error.code, "malformed_request")
        assert.include(head, `x-request-id: ${JSON.parse(body).error.request_id}`)
      }
    })
  )

  it.effect("about what is absent, foreign, or of another kind is answered with the same bytes", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const [mine, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
      const [key, otherKey] = [yield* seeder.key(mine), yield* seeder.key(other)]
      const registered = yield* send("POST", "/v1/deposit-addresses", {
        key: otherKey,
        body: { addresses: [{ network: "ethereum", address: addressOf(77), reference: "r" }] },
        headers: { "idempotency-key": "k" }
      })
      const foreign = registered.body.results[0].address.id
      const bodies = new Set<string>()
      for (const id of [anId, foreign, "no-uuid", "%00", "..%2f", "x".repeat(500)]) {
        for (const [method, path] of [
          ["POST", `/v1/deposit-addresses/${id}/retire`],
          ["POST", `/v1/deposit-addresses/${id}/watch-now`],
          ["GET", `/v1/register/${id}/movements`]
        ] as const) {
          const answer = yield* send(method, path, { key })
          assert.strictEqual(answer.status, 404, `${method} ${path}`)
          bodies.add(withoutRequestId(answer.body))
        }
      }
      assert.strictEqual(bodies.size, 1)
      const { body } = yield* send("GET", "/v1/deposit-addresses", { key: otherKey })
      assert.isNull(body.addresses[0].retired_at)
      assert.isNull(body.addresses[0].watch_now_until)
    })
  )

  it.effect("is carried out to its end though its client hangs up", () =>
    Effect.gen(function* () {
      const { seeder, send, state, url } = yield* Partner
      const tenant = yield* seeder.tenant()
      const key = yield* seeder.key(tenant)
      const body = JSON.stringify({
        addresses: Array.from({ length: 500 }, (_, index) => ({
          network: "ethereum",
          address: addressOf(10_000 + index),
          reference: "r"
        }))
      })
      yield* Effect.callback<void>((resume) => {
        const request = nodeRequest(`${url}/v1/deposit-addresses`, {
          method: "POST",
          agent: false,
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            "idempotency-key": "hung-up",
            "content-length": body.length
          }
        })
        request.on("error", () => resume(Effect.void))
        // The whole request has left when the connection goes.
        request.end(body, () => request.destroy())
      })
      const found = yield* send("GET", "/v1/operations/by-key/hung-up", { key }).pipe(
        Effect.repeat({ until: ({ status }) => status === 200 }),
        Effect.timeout("5 seconds")
      )
      assert.strictEqual(found.body.state, "COMPLETED")
      assert.strictEqual(stored(state, tenant, DepositAddress).size, 500)
    })
  )

  it.effect("for the documents and for health is answered without a key", () =>
    Effect.gen(function* () {
      const { send } = yield* Partner
      const { body, headers } = yield* send("GET", "/openapi.json")
      assert.strictEqual(body.openapi, "3.1.0")
      assert.deepStrictEqual(body.servers, [{ url: "https://api.example.test" }])
      assert.isDefined(headers["x-request-id"])
      const docs = yield* send("GET", "/docs", { headers: { "x-request-id": "r" } })
      assert.strictEqual(docs.status, 200)
      assert.include(docs.headers["content-type"], "text/html")
      assert.strictEqual((yield* send("GET", "/health/live")).status, 200)
      assert.strictEqual((yield* send("GET", "/health/ready")).status, 200)
    })
  )
})
