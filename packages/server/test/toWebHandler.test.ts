import { assert, describe, it } from "@effect/vitest"
import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { revokeApiKey } from "@bursar/core/access/tenantCommands"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { emptyState } from "@bursar/memory"
import { Effect, Layer, Logger, Schema } from "effect"
import { ServerConfig, type ServerSettings } from "../src/config/ServerConfig.ts"
import * as PartnerServer from "../src/PartnerServer.ts"
import { toWebHandler } from "../src/toWebHandler.ts"
import { makeSeeder, portsOver, settings } from "./support/Partner.ts"
import { addressOf } from "./support/written.ts"

const origin = "https://api.example.test"
const peer = "192.0.2.1"

/** A handler over memory, and the hands that make its tenants. */
const embedded = (changes: Partial<ServerSettings> = {}) =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const ports = Layer.mergeAll(
      portsOver(emptyState()),
      Layer.succeed(ServerConfig, { ...settings, ...changes }),
      Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
    )
    const services = yield* Layer.build(ports)
    const web = toWebHandler(PartnerServer.routes, Layer.succeedContext(services))
    yield* Effect.addFinalizer(() => Effect.promise(web.dispose))
    const seeder = yield* Effect.provideContext(makeSeeder, services)
    const call = (path: string, init: RequestInit = {}, clientAddress: string | undefined = peer) =>
      Effect.promise(() => web.handler(new Request(`${origin}${path}`, init), { clientAddress }))
    return { call, seeder, logged }
  })

const ErrorAnswer = Schema.Struct({ error: Schema.Struct({ code: Schema.String, request_id: Schema.String }) })

const errorCode = (response: Response) =>
  Effect.promise(() => response.json()).pipe(
    Effect.map((body) => Schema.decodeUnknownSync(ErrorAnswer)(body).error.code)
  )

const registration = (length: number) => ({
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": "one" },
  body: JSON.stringify({
    addresses: [{ network: "ethereum", address: addressOf(1), reference: "r" }],
    padding: "x".repeat(length)
  })
})

const withKey = <Init extends RequestInit>(key: string, init: Init) => ({
  ...init,
  headers: { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${key}` } // plain in these tests
})

describe("a web handler", () => {
  it.live("answers as the server does, error bodies and request ids included", () =>
    Effect.gen(function* () {
      const { call, seeder } = yield* embedded()
      const key = yield* seeder.key(yield* seeder.tenant())
      const known = yield* call("/v1/whoami", withKey(key, {}))
      assert.strictEqual(known.status, 200)
      const unknown = yield* call("/v1/whoami", { headers: { "x-request-id": "mine" } })
      assert.deepStrictEqual([unknown.status, unknown.headers.get("x-request-id")], [401, "mine"])
      assert.strictEqual(yield* errorCode(unknown), "key_missing")
      assert.strictEqual((yield* call("/v2/nothing")).status, 404)
      assert.strictEqual((yield* call("/health/ready")).status, 200)
    })
  )

  it.live("logs to the logger that it was given", () =>
    Effect.gen(function* () {
      const { call, seeder, logged } = yield* embedded()
      const key = yield* seeder.key(yield* seeder.tenant())
      yield* call("/v1/whoami", withKey(key, {}))
      assert.include(logged.join(), "GET /v1/whoami")
    })
  )

  it.live(
    "lets in whom the tenant's allowlist names by the address that the host tells, whatever the headers say",
    () =>
      Effect.gen(function* () {
        const { call, seeder } = yield* embedded()
        const key = yield* seeder.key(yield* seeder.tenant({ policy: { ipAllowlist: ["192.0.2.0/24"] } }))
        const spoofed = withKey(key, { headers: { "x-forwarded-for": "192.0.2.1" } })
        assert.strictEqual((yield* call("/v1/whoami", spoofed, "192.0.2.7")).status, 200)
        assert.strictEqual((yield* call("/v1/whoami", spoofed, "198.51.100.1")).status, 403)
        assert.strictEqual((yield* call("/v1/whoami", spoofed, "")).status, 403)
      })
  )

  it.live("takes X-Forwarded-For from a trusted proxy", () =>
    Effect.gen(function* () {
      const { call, seeder } = yield* embedded({ trustedProxies: ["10.0.0.0/8"] })
      const key = yield* seeder.key(yield* seeder.tenant({ policy: { ipAllowlist: ["192.0.2.9"] } }))
      const forwarded = (address: string) => withKey(key, { headers: { "x-forwarded-for": address } })
      assert.strictEqual((yield* call("/v1/whoami", forwarded("192.0.2.9"), "10.0.0.1")).status, 200)
      assert.strictEqual((yield* call("/v1/whoami", forwarded("192.0.2.10"), "10.0.0.1")).status, 403)
    })
  )

  it.live("refuses a body above the limit though its length is not declared", () =>
    Effect.gen(function* () {
      const { call, seeder } = yield* embedded()
      const key = yield* seeder.key(yield* seeder.tenant())
      const tooLarge = yield* call("/v1/deposit-addresses", withKey(key, registration(1_048_576)))
      assert.deepStrictEqual([tooLarge.status, yield* errorCode(tooLarge)], [413, "body_too_large"])
    })
  )

  it.live("carries nothing out for a key that was revoked while its request was still coming", () =>
    Effect.gen(function* () {
      const { call, seeder } = yield* embedded()
      const { body, ...sent } = registration(0)
      for (const padding of [0, 70_000]) {
        const tenant = yield* seeder.tenant()
        const key = yield* seeder.key(tenant)
        const bytes = new TextEncoder().encode(body + " ".repeat(padding))
        // a body is asked for when its key has been accepted
        const stream = new ReadableStream<Uint8Array>(
          {
            pull: async (controller) => {
              await Effect.runPromise(seeder.submit(tenant, revokeApiKey(parseKey(key)?.id ?? "")))
              controller.enqueue(bytes)
              controller.close()
            }
          },
          { highWaterMark: 0 }
        )
        const length = padding === 0 ? {} : { "content-length": String(bytes.length) }
        const init = { ...sent, headers: { ...sent.headers, ...length }, body: stream, duplex: "half" }
        const late = yield* call("/v1/deposit-addresses", withKey(key, init))
        assert.deepStrictEqual([late.status, yield* errorCode(late)], [401, "key_invalid"])
      }
    })
  )

  it.live("verifies signatures over the authority of the URL where no Host header came", () =>
    Effect.gen(function* () {
      const { call, seeder } = yield* embedded()
      const key = yield* seeder.key(yield* seeder.tenant())
      const { privateJwk } = yield* generateSigningKey
      const signer = yield* makeSigner(privateJwk)
      const body = "{}"
      const signature = yield* signer.sign({
        method: "POST",
        authority: "api.example.test",
        path: "/v1/signature/verify",
        idempotencyKey: "one",
        contentType: "application/json",
        body: new TextEncoder().encode(body)
      })
      const headers = { "content-type": "application/json", "idempotency-key": "one", ...signature }
      const answer = yield* call("/v1/signature/verify", withKey(key, { method: "POST", headers, body }))
      assert.strictEqual(answer.status, 200)
      const told = yield* Effect.promise(() => answer.text())
      // the key is not registered; the authority, which is looked at before it, was accepted
      assert.include(told, "signature_key_unknown")
    })
  )
})
