import { OpenApi } from "effect/http-api"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { openTenant, operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve } from "./support/world.ts"

/** A server over PostgreSQL, with a tenant. */
const openServer = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  const server = yield* serve(environmentOf(url, { ethereum: "http://127.0.0.1:9" }))
  const tenant = yield* openTenant(yield* operatorOn(server.operatorUrl), "acme")
  const send = (method: string, path: string, body?: string) =>
    Effect.promise(async () => {
      const response = await fetch(`${server.operatorUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${secrets.OPERATOR_TOKEN}`,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body })
      })
      return { status: response.status, text: await response.text() }
    })
  return { tenant, send }
})

class Server extends Context.Service<Server, Effect.Success<typeof openServer>>()("test/Server") {
  static readonly layer = Layer.effect(Server, openServer)
}

/** What of the contract of operators can be asked: each with its parameters. */
const endpoints = Object.entries(OpenApi.fromApi(OperatorApi).paths).flatMap(([path, methods]) =>
  (["get", "post"] as const).flatMap((method) => {
    const operation = methods[method]
    return operation === undefined ? [] : [{ method: method.toUpperCase(), path, parameters: operation.parameters }]
  })
)

const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

/** A path whose named parameter is this text, and whose others are something that there may be. */
const pathWith = (path: string, tenantId: string, name?: string, text = "") =>
  path.replaceAll(/\{(\w+)\}/gu, (_, parameter: string) => {
    if (parameter === name) return text
    return (
      { tenant_id: tenantId, chain: tenantId, network: "ethereum", period: "2026-01", block_number: "1" }[parameter] ??
      anId
    )
  })

/** What PostgreSQL has no text or moment for. */
const strange = ["%00", "a%00b", "0000-01-01", "0000-01-01T00:00:00Z", "0000-01", "9223372036854775808", "%ED%A0%80"]

layer(Server.layer, { excludeTestServices: true })("what the database cannot store", (it) => {
  for (const where of ["path", "query"] as const)
    it.effect(`is refused in the ${where} of whatever operators ask`, () =>
      Effect.gen(function* () {
        const { send, tenant } = yield* Server
        const failed: Array<string> = []
        let asked = 0
        for (const { method, parameters, path } of endpoints)
          for (const { in: place, name, schema } of parameters)
            // an id is looked at before anything is asked for
            for (const text of place === where && !("format" in schema && schema.format === "uuid") ? strange : []) {
              const target =
                where === "path"
                  ? pathWith(path, tenant.id, name, text)
                  : `${pathWith(path, tenant.id)}?${name}=${text}`
              const { status } = yield* send(method, target, method === "POST" ? "{}" : undefined)
              asked += 1
              if (status >= 500) failed.push(`${method} ${target}: ${status}`)
              else if (text.includes("%00") && (status < 400 || status === 401))
                failed.push(`${method} ${target}: ${status}`)
            }
        assert.isAbove(asked, 50)
        assert.deepStrictEqual(failed, [])
      })
    )

  it.effect("is refused in a body, wherever it stands", () =>
    Effect.gen(function* () {
      const { send, tenant } = yield* Server
      const bodies: ReadonlyArray<readonly [string, unknown]> = [
        [`/operator/v1/tenants`, { slug: "other", name: "a\u0000b", kind: "SANDBOX" }],
        [`/operator/v1/tenants/${tenant.id}/keys`, { label: "a\u0000b", scopes: ["deposits:read"] }],
        [`/operator/v1/tenants/${tenant.id}/addresses/${anId}/hold`, { reason: "half \ud83d" }],
        ["/operator/v1/networks/ethereum/stop-payouts", { reason: "a\u0000b" }],
        ["/operator/v1/reconciliation/places/chain:ethereum:payouts/stop", { reason: "a\u0000b" }],
        [`/operator/v1/tenants/${tenant.id}/settings`, { "name\u0000": "x" }]
      ]
      for (const [path, body] of bodies) {
        const { status, text } = yield* send("POST", path, JSON.stringify(body))
        assert.strictEqual(status, 422, `${path}: ${text}`)
        assert.match(text, /NUL|surrogate/u)
      }
      // what only looks like it is none of it
      const name = { slug: "backslash", name: "a\\u0000b \ud83d\ude00", kind: "SANDBOX" }
      assert.strictEqual((yield* send("POST", "/operator/v1/tenants", JSON.stringify(name))).status, 201)
    })
  )
})
