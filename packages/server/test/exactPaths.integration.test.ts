import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { emptyState } from "@bursar/memory"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { ServerConfig } from "../src/config/ServerConfig.ts"
import { documentPaths } from "../src/documents/published.ts"
import { healthPaths } from "../src/http/health.ts"
import * as PartnerServer from "../src/PartnerServer.ts"
import { toWebHandler } from "../src/toWebHandler.ts"
import { Operator } from "./support/Operator.ts"
import { makeSeeder, Partner, portsOver, settings } from "./support/Partner.ts"
import { rawRequest } from "./support/rawRequest.ts"

interface Route {
  readonly method: string
  readonly path: string
}

const filled = ({ method, path }: Route): Route => ({
  method,
  path: path.replaceAll(/\{\w+\}/gu, "019845e1-682f-7b02-a706-3b2422d13aec")
})

const open = [...Object.values(documentPaths), ...Object.values(healthPaths)].map((path) => ({ method: "GET", path }))

const partnerRoutes = [...operationsOf(PartnerApi), ...open].map(filled)

const operatorRoutes = [...operationsOf(OperatorApi), ...open, { method: "GET", path: "/metrics" }].map(filled)

/** The spellings that a lenient router takes for the same path. */
const manglings: Readonly<Record<string, (path: string) => string>> = {
  "a slash at the end": (path) => `${path}/`,
  "two slashes at the beginning": (path) => `/${path}`,
  "two slashes at the end": (path) => `${path}//`,
  "two slashes before the last part": (path) => path.replace(/\/([^/]*)$/u, "//$1"),
  "upper case": (path) => path.toUpperCase(),
  // beside a parameter in the same place, it could be taken for one
  "the last part in upper case": (path) => path.replace(/\/[a-z-]+$/u, (part) => part.toUpperCase()),
  "an escaped letter": (path) =>
    path.replace(/^\/(.)/u, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  "an escaped last character": (path) => `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
  "a parameter of the path": (path) => `${path};a=b`,
  "an empty parameter of the path": (path) => `${path};`,
  "a fragment": (path) => `${path}#x`,
  "a fragment before a query": (path) => `${path}#x?a=b`,
  "an escaped slash": (path) => `/${path.slice(1).replace("/", "%2F")}`,
  "a dot": (path) => `/.${path}`
}

/** The mangled paths of a route; what leaves the path as it is does not count. */
const mangled = ({ path }: Route) =>
  Object.entries(manglings)
    .map(([what, mangle]) => [what, mangle(path)] as const)
    .filter(([, to]) => to !== path)
    // one part has no slash to escape
    .filter(([what, to]) => what !== "an escaped slash" || to.includes("%2F"))

const notFound = (text: string) => text.includes(`"code":"not_found"`)

layer(Partner.layer(), { excludeTestServices: true })("the partner interface", (it) => {
  it.effect(
    "has no route by any other spelling: 404 before a key is asked for",
    () =>
      Effect.gen(function* () {
        const { seeder, url } = yield* Partner
        yield* seeder.tenant()
        for (const route of partnerRoutes) {
          for (const [what, path] of mangled(route)) {
            const { head, body } = yield* rawRequest(url, route.method, path)
            assert.match(head, /^HTTP\/1\.1 404 /u, `${route.method} ${path}: ${what}`)
            assert.isTrue(route.method === "HEAD" || notFound(body), `${route.method} ${path}: ${body}`)
          }
        }
      }),
    { timeout: 300_000 }
  )

  it.effect("has every route by its own spelling", () =>
    Effect.gen(function* () {
      const { seeder, url } = yield* Partner
      yield* seeder.tenant()
      for (const { method, path } of partnerRoutes) {
        const { head } = yield* rawRequest(url, method, path)
        assert.match(head, /^HTTP\/1\.1 (?:200|401) /u, `${method} ${path}`)
      }
    })
  )

  it.effect("reads a target with an authority for its path, to the letter too", () =>
    Effect.gen(function* () {
      const { seeder, url } = yield* Partner
      yield* seeder.tenant()
      const authority = "http://api.example.test"
      assert.match((yield* rawRequest(url, "GET", `${authority}/v1/whoami`)).head, /^HTTP\/1\.1 401 /u)
      assert.match((yield* rawRequest(url, "GET", `${authority}/v1/whoami?a=b`)).head, /^HTTP\/1\.1 401 /u)
      const loose = ["/v1/./whoami", "/x/../v1/whoami", "/v1/%2e/whoami", "/v1\\whoami", "/v1/whoami#x"]
      for (const path of ["//v1/whoami", "/v1/whoami/", "/v1/whoami;a", ...loose])
        assert.match((yield* rawRequest(url, "GET", `${authority}${path}`)).head, /^HTTP\/1\.1 404 /u, path)
    })
  )
})

layer(Operator.layer, { excludeTestServices: true })("the operator interface", (it) => {
  it.effect(
    "has no route by any other spelling: 404 before a token is asked for",
    () =>
      Effect.gen(function* () {
        const { operatorUrl } = yield* Operator
        for (const route of operatorRoutes) {
          for (const [what, path] of mangled(route)) {
            const { head } = yield* rawRequest(operatorUrl, route.method, path)
            assert.match(head, /^HTTP\/1\.1 404 /u, `${route.method} ${path}: ${what}`)
          }
        }
      }),
    { timeout: 300_000 }
  )
})

describe("the partner interface as a web handler", () => {
  it.live("has no route by any other spelling", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(
        Layer.mergeAll(portsOver(emptyState()), Layer.succeed(ServerConfig, settings), Logger.layer([]))
      )
      const web = toWebHandler(PartnerServer.routes, Layer.succeedContext(services))
      yield* Effect.addFinalizer(() => Effect.promise(web.dispose))
      yield* Effect.flatMap(Effect.provideContext(makeSeeder, services), ({ tenant }) => tenant())
      for (const route of partnerRoutes) {
        for (const [what, path] of mangled(route)) {
          // a `Request` takes dots out of its path itself, so that nothing is routed or covered that has them
          if (what === "a dot") continue
          const request = new Request(`https://api.example.test${path}`, { method: route.method })
          const { status } = yield* Effect.promise(() => web.handler(request, { clientAddress: "192.0.2.1" }))
          assert.strictEqual(status, 404, `${route.method} ${path}: ${what}`)
        }
      }
    })
  )
})
