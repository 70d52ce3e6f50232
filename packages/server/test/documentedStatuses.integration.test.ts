import { operationsOf as declaredOf } from "@bursar/api/openapi/Operation"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type HttpApi, OpenApi } from "effect/http-api"
import { Operator } from "./support/Operator.ts"
import type { Answer, Sent } from "./support/Partner.ts"

const anId = "019845e1-682f-7b02-a706-3b2422d13aec"

const json = { "content-type": "application/json" }

/** What senders get wrong, beside what they get right. */
const attempts: Readonly<Record<string, Sent>> = {
  "no key": { headers: { authorization: "" } },
  "a wrong key": { key: "junk" },
  "nothing else": {},
  "a query that is none": { headers: { "x-request-id": "x".repeat(500) } },
  "an idempotency key": { headers: { "idempotency-key": "k" }, body: {} },
  "an idempotency key that is none": { headers: { "idempotency-key": "a b" }, body: {} },
  "no JSON": { raw: "{", headers: json },
  "a list": { body: [] },
  "another type": { raw: "x", headers: { "content-type": "text/plain", "idempotency-key": "t" } },
  "a body without its length": { raw: "{}", chunked: true, headers: json },
  // refused as declared: nobody waits for the rest
  "a body that is too large": { raw: "{}", headers: { ...json, "content-length": "1048577" } }
}

/** Whoever is let in is answered for ever: here it is asked by those alone who are not. */
const endless = new Set(declaredOf(OperatorApi).flatMap(({ endless: isEndless, path }) => (isEndless ? [path] : [])))
const strangers: ReadonlySet<string> = new Set(["no key", "a wrong key"])

/** Every operation of a document, with an id in each place of its path. */
const operationsOf = (api: HttpApi.Constraint) =>
  // a document is read as what it is: JSON
  Object.entries(OpenApi.fromApi(api as HttpApi.Top).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      typeof operation === "object" && "responses" in operation
        ? [
            {
              method: method.toUpperCase(),
              path: path.replaceAll(/\{\w+\}/gu, anId),
              statuses: new Set(Object.keys(operation.responses))
            }
          ]
        : []
    )
  )

const isDocumented = Effect.fnUntraced(function* (
  api: HttpApi.Constraint,
  send: (method: string, path: string, sent: Sent) => Effect.Effect<Answer>
) {
  const operations = operationsOf(api)
  assert.isAbove(operations.length, 30)
  const unlisted: Array<string> = []
  for (const { method, path, statuses } of operations) {
    for (const [what, sent] of Object.entries(attempts)) {
      if (endless.has(path) && !strangers.has(what)) continue
      const { status, text } = yield* send(method, path, sent)
      if (!statuses.has(String(status))) unlisted.push(`${method} ${path} with ${what}: ${status} ${text.slice(0, 80)}`)
    }
  }
  assert.strictEqual(unlisted.join("\n"), "")
})

layer(Operator.layer, { excludeTestServices: true })("the document", (it) => {
  it.effect(
    "lists every status with which the partner interface answers what senders get wrong",
    () =>
      Effect.gen(function* () {
        const { ask, seeder } = yield* Operator
        const tenant = yield* seeder.tenant()
        yield* isDocumented(PartnerApi, (method, path, sent) =>
          // a key for each request, so that none is told to wait
          Effect.flatMap(seeder.key(tenant), (key) => ask(method, path, { key, ...sent }))
        )
      }),
    { timeout: 300_000 }
  )

  it.effect(
    "lists every status with which the operator interface answers what senders get wrong",
    () => Effect.flatMap(Operator, ({ operate }) => isDocumented(OperatorApi, operate)),
    { timeout: 300_000 }
  )
})
