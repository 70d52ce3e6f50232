import { Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, type HttpApi, type HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { RequiredScope } from "../../src/annotations/RequiredScope.ts"
import { apiError } from "../../src/errors/ApiError.ts"
import { isErrorCode } from "../../src/errors/Catalogue.ts"
import { RequestId } from "../../src/errors/RequestId.ts"
import { schemaRefusal } from "../../src/errors/schemaRefusal.ts"
import { Limits } from "../../src/Limits.ts"
import { Authenticated } from "../../src/middleware/Authenticated.ts"
import { Caller } from "../../src/middleware/Caller.ts"
import { Limited } from "../../src/middleware/Limited.ts"
import { SchemaRefusals } from "../../src/middleware/SchemaRefusals.ts"
import { PolicySigned } from "../../src/middleware/PolicySigned.ts"
import { Scoped } from "../../src/middleware/Scoped.ts"
import { Signed } from "../../src/middleware/Signed.ts"
import { VerifiedSignature } from "../../src/middleware/VerifiedSignature.ts"
import { PartnerApi } from "../../src/PartnerApi.ts"
import { scopes } from "../../src/scopes/Scopes.ts"

/** The id that every request of the echo server has. */
export const echoRequestId = "request-1"

const caller = Caller.of({
  tenantId: "019845e1-682f-7b02-a706-3b2422d13aec",
  tenantSlug: "demo",
  tenantKind: "SANDBOX",
  keyId: "019845e1-682f-7b02-a706-3b2422d13aed",
  keyPrefix: "bsr_test_12345678",
  keyLabel: "echo",
  scopes: new Set(scopes.filter((scope) => scope !== "deposits:issue"))
})

/** A request header naming the code that the echo server is to fail with. */
export const failWith = "x-fail-with"

/** Middleware that lets everything through but a missing key and one missing scope. */
export const echoMiddleware = Layer.mergeAll(
  Layer.succeed(
    Authenticated,
    Authenticated.of({
      bearer: (app, { credential }) =>
        Redacted.value(credential) === ""
          ? Effect.fail(apiError("key_missing"))
          : Effect.provideService(app, Caller, caller)
    })
  ),
  Layer.succeed(
    Limited,
    Limited.of((app) =>
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const code = headers[failWith]
        if (code !== undefined && isErrorCode(code)) return yield* apiError(code, { detail: { fact: 1 } })
        return yield* app
      })
    )
  ),
  Layer.succeed(
    Scoped,
    Scoped.of((app, { endpoint }) =>
      Effect.gen(function* () {
        const scope = Context.get(endpoint.annotations, RequiredScope)
        const held = (yield* Caller).scopes
        if (scope !== null && !held.has(scope)) {
          return yield* apiError("scope_missing", { detail: { required_scope: scope } })
        }
        return yield* app
      })
    )
  ),
  Layer.succeed(
    PolicySigned,
    PolicySigned.of((app) => app)
  ),
  Layer.succeed(
    Signed,
    Signed.of((app) =>
      Effect.provideService(
        app,
        VerifiedSignature,
        VerifiedSignature.of({
          keyid: "key",
          body: new Uint8Array(),
          signatureBase: "",
          components: {
            "@method": "",
            "@authority": "",
            "@path": "",
            "idempotency-key": "",
            "content-type": "",
            "content-digest": ""
          },
          signature: "",
          nonce: "",
          contentDigest: "",
          created: 0,
          expires: 0
        })
      )
    )
  ),
  HttpApiMiddleware.layerSchemaErrorTransform(SchemaRefusals, (error) =>
    error.kind === "Body" || error.kind === "ResponseHeaders" ? Effect.die(error) : Effect.fail(schemaRefusal(error))
  )
)

interface Heard {
  readonly params?: unknown
  readonly query?: unknown
  readonly payload?: unknown
  readonly headers?: unknown
}

// Every endpoint of every group is answered in the same way, so the groups' own types say nothing here.
const erased = PartnerApi as unknown as HttpApi.Top

const group = ({ endpoints, identifier }: HttpApiGroup.Top) =>
  HttpApiBuilder.group(erased, identifier, (handlers) => {
    const entries = Object.keys(endpoints).map((name) => [
      name,
      ({ headers, params, payload, query }: Heard) =>
        HttpServerResponse.json({ endpoint: `${identifier}.${name}`, params, query, payload, headers })
    ])
    return handlers.handleAll(Object.fromEntries(entries) as never) as never
  })

const groups = Object.values<HttpApiGroup.Top>(erased.groups).map(group)

const WithRequestId = HttpRouter.middleware((app) => Effect.provideService(app, RequestId, echoRequestId), {
  global: true
})

const routes = HttpApiBuilder.layer(erased, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(groups as never),
  Layer.provide(echoMiddleware),
  Layer.provide(WithRequestId),
  Layer.provide(HttpServer.layerServices)
) as Layer.Layer<never, never, HttpRouter.HttpRouter>

/** A server in memory that answers each request with the endpoint reached and what it heard. */
export const echo = HttpRouter.toWebHandler(routes, {
  disableLogger: true,
  routerConfig: { maxParamLength: Limits.pathParameterLengthMax }
})

/** Sends one request to the echo server. */
export const send = (
  method: string,
  path: string,
  options: { readonly body?: unknown; readonly raw?: string; readonly headers?: Record<string, string> } = {}
) => {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  return Effect.promise(() =>
    echo
      .handler(
        new Request(`http://localhost${path}`, {
          method,
          headers: {
            authorization: "Bearer key",
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...options.headers
          },
          ...(body === undefined ? {} : { body })
        })
      )
      .then(async (response) => ({
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>
      }))
  )
}
