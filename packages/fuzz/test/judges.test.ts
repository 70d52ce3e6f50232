import { readFileSync } from "node:fs"
import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operatorOpenApiDocument } from "@bursar/api/openapi/openApiDocument"
import { buildOperatorCall } from "../src/call/buildOperatorCall.ts"
import { endingOperations, readContract } from "../src/contract/Contract.ts"
import { makeSchemaChecks } from "../src/contract/schemaChecks.ts"
import { makeKnown } from "../src/generate/Known.ts"
import { operationNamed } from "../src/isolation/Caller.ts"
import { allPlaces } from "../src/isolation/places.ts"
import { makeAnswerJudge } from "../src/judge/judgeAnswer.ts"
import { type Entry, judgeEffects } from "../src/judge/judgeEffects.ts"
import { judgeFeed } from "../src/judge/judgeFeed.ts"
import { judgeMemory } from "../src/judge/judgeMemory.ts"
import { buildCall } from "../src/call/buildCall.ts"
import type { Call } from "../src/call/Call.ts"
import type { Partner } from "../src/service/people.ts"
import { type Answer, readAnswer } from "../src/wire/sendBytes.ts"

const contract = readContract(JSON.parse(readFileSync(new URL("../../api/openapi.json", import.meta.url), "utf8")))

const judge = makeAnswerJudge(contract, makeSchemaChecks(contract))

const id = "019845e1-682f-7b02-a706-3b2422d13aec"

const partnerNamed = Effect.fnUntraced(function* (slug: string) {
  const { privateJwk } = yield* generateSigningKey
  const partner: Partner = {
    id,
    slug,
    keys: ["one", "two"],
    signingKeys: ["three"],
    weakKey: "weak",
    revokedKey: "revoked",
    signer: yield* makeSigner(privateJwk),
    known: makeKnown(),
    wrap: () => "wrapped"
  }
  return partner
})

const settingOf = Effect.map(Effect.all([partnerNamed("one"), partnerNamed("other")]), (partners) => ({
  contract,
  partners,
  url: "http://127.0.0.1:1",
  seed: 1
}))

const callOf = (name: string, changes: Partial<Call> = {}): Effect.Effect<Call> =>
  Effect.gen(function* () {
    const any = yield* buildCall(yield* Effect.orDie(settingOf), 0)
    const operation = operationNamed(contract, name)
    const draft = {
      ...any.draft,
      method: operation.method,
      path: operation.path.replaceAll(/\{\w+\}/gu, id),
      headers: [["x-request-id", "mine"]] as const,
      allows: "documented" as const
    }
    return { ...any, operation, draft, stranger: false, ...changes }
  })

const answered = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  _tag: "Answer",
  status,
  headers: new Map(
    Object.entries({
      "content-type": "application/json",
      "x-request-id": "mine",
      ratelimit: '"read";r=1;t=1',
      ...headers
    })
  ),
  body: JSON.stringify(body)
})

const error = (code: string) => ({ error: { code, message: "m", request_id: "mine", retryable: false } })

const limit = { limit_usd: "1.00", spent_usd: "0.00", remaining_usd: "1.00" }

describe("the judge of answers", () => {
  const name = "GET /v1/withdrawals/limit"

  it.effect("has nothing against what is documented", () =>
    Effect.gen(function* () {
      const call = yield* callOf(name)
      assert.deepStrictEqual(judge(call, answered(200, limit)), [])
      assert.deepStrictEqual(judge(call, answered(422, error("invalid_request"))), [])
      assert.deepStrictEqual(judge(call, answered(401, error("key_invalid"), { "www-authenticate": "Bearer" })), [])
    })
  )

  it.effect("finds what is not", () =>
    Effect.gen(function* () {
      const call = yield* callOf(name)
      const finds = (answer: Answer, part: string, of: Call = call) =>
        assert.include(judge(of, answer).join("; "), part)
      finds(answered(500, error("internal_error")), "500")
      finds(answered(503, error("internal_error")), "internal_error is not documented for 503")
      finds(answered(418, error("invalid_request")), "418 is not documented")
      finds(answered(200, { limit_usd: 1 }), "not as documented")
      finds(answered(200, limit, { "content-type": "text/html" }), "the type is text/html")
      finds(answered(200, limit, { "retry-after": "1" }), "the header retry-after")
      finds(answered(200, limit, { "x-request-id": "another" }), "X-Request-Id is another")
      finds(answered(401, error("key_invalid")), "401 came without www-authenticate")
      finds(answered(422, error("insufficient_balance")), "insufficient_balance is not documented")
      finds(answered(200, limit), "another tenant", { ...call, stranger: true })
      const stray = { ...call, draft: { ...call.draft, path: "/v1/nothing" } }
      finds(answered(200, limit), "where no operation was asked for", stray)
      assert.deepStrictEqual(judge(call, { _tag: "Silence", why: "closed" }), ["no answer: closed"])
    })
  )
})

describe("the judge of answers of operators", () => {
  const operators = readContract(operatorOpenApiDocument())

  it.effect("finds a file of another type than is documented", () =>
    Effect.gen(function* () {
      const operation = operationNamed(operators, "GET /operator/v1/tenants/{tenant_id}/periods/{period}/statement")
      const call = yield* callOf("GET /v1/withdrawals/limit")
      const draft = { ...call.draft, path: `/operator/v1/tenants/${id}/periods/2026-10/statement` }
      const findings = (type: string) =>
        makeAnswerJudge(operators, makeSchemaChecks(operators))(
          { ...call, operation, draft },
          answered(200, "text", { "content-type": type })
        ).filter((what) => what.startsWith("the type"))
      assert.deepStrictEqual(findings("text/csv; charset=utf-8"), [])
      assert.deepStrictEqual(findings("application/pdf"), [])
      assert.deepStrictEqual(findings("application/octet-stream"), ["the type is application/octet-stream"])
    })
  )
})

describe("the judge of effects", () => {
  const entry = (of: string, reference: string | null = null): Entry => ({
    id: of,
    kind: "SWAP",
    status: "SETTLED",
    reference
  })
  const nobody = { made: new Set<string>(), silent: new Set<string>() }

  it("finds what nobody was told of, and what was told of and is not there", () => {
    assert.deepStrictEqual(judgeEffects([], [entry("a")], { ...nobody, made: new Set(["a"]) }), [])
    assert.deepStrictEqual(judgeEffects([entry("a")], [entry("a")], nobody), [])
    assert.deepStrictEqual(judgeEffects([], [entry("a", "r")], { ...nobody, silent: new Set(["r"]) }), [])
    assert.lengthOf(judgeEffects([], [entry("a", "r")], nobody), 1)
    assert.lengthOf(judgeEffects([], [], { ...nobody, made: new Set(["a"]) }), 1)
  })

  it("finds an end that was not told, or told twice, and events out of their order", () => {
    const event = { id: 1, kind: "swap.settled", resource_id: "a" }
    assert.deepStrictEqual(judgeFeed([entry("a")], [event]), [])
    assert.lengthOf(judgeFeed([entry("a")], []), 1)
    assert.lengthOf(judgeFeed([entry("a")], [event, { ...event, id: 2 }]), 1)
    assert.lengthOf(judgeFeed([], [{ ...event, id: 2 }, event]), 1)
  })
})

describe("the judge of memory", () => {
  const run = (growth: number) =>
    Array.from({ length: 100 }, (_, at) => ({
      calls: at * 1_000,
      bytes: 4e8 + (at < 20 ? at * 1e7 : 2e8) + at * growth
    }))

  it("finds what goes on growing after the middle of a run", () => {
    assert.deepStrictEqual(judgeMemory(run(0)), [])
    assert.lengthOf(judgeMemory(run(3e6)), 1)
  })
})

describe("calls", () => {
  it.effect("are the same for the same seed, but for what the service chooses", () =>
    Effect.gen(function* () {
      const setting = yield* Effect.orDie(settingOf)
      for (let index = 0; index < 200; index++) {
        const [one, again] = [yield* buildCall(setting, index), yield* buildCall(setting, index)]
        assert.deepStrictEqual([one.operation.name, one.what, one.from], [again.operation.name, again.what, again.from])
        if (!one.draft.headers.some(([name]) => name === "signature")) assert.deepStrictEqual(one.bytes, again.bytes)
      }
    })
  )

  it.effect("reach every operation of the contract", () =>
    Effect.gen(function* () {
      const setting = yield* Effect.orDie(settingOf)
      const reached = new Set<string>()
      for (let index = 0; index < 2_000; index++) reached.add((yield* buildCall(setting, index)).operation.name)
      assert.deepStrictEqual([...reached].toSorted(), contract.operations.map(({ name }) => name).toSorted())
    })
  )

  it.effect("of operators reach every operation of theirs whose answer ends, and ask in the name of both tenants", () =>
    Effect.gen(function* () {
      const { partners, ...rest } = yield* Effect.orDie(settingOf)
      const operators = endingOperations(readContract(operatorOpenApiDocument()))
      const setting = { ...rest, contract: operators, tenants: partners, house: makeKnown(), token: "token" }
      const calls = Array.from({ length: 6_000 }, (_, index) => buildOperatorCall(setting, index))
      const reached = new Set(calls.map(({ operation }) => operation.name))
      assert.deepStrictEqual([...reached].toSorted(), operators.operations.map(({ name }) => name).toSorted())
      assert.isFalse(reached.has("GET /operator/v1/stream"))
      for (const { known } of partners) assert.isTrue(calls.some((call) => call.known === known))
      assert.deepStrictEqual(buildOperatorCall(setting, 77).bytes, calls[77]?.bytes)
    })
  )
})

describe("places of ids", () => {
  it("are found in paths, queries and bodies, as new endpoints have them", () => {
    const grown = readContract({
      paths: {
        "/v1/gifts/{gift_id}": {
          post: {
            parameters: [
              { name: "gift_id", in: "path", schema: { type: "string" } },
              { name: "giver", in: "query", schema: { type: "string", format: "uuid" } }
            ],
            requestBody: {
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    properties: { to: { type: "object", properties: { quote_id: { type: "string" } } } }
                  }
                }
              }
            },
            responses: {}
          }
        }
      }
    })
    assert.deepStrictEqual(
      allPlaces(grown).map(({ in: place, name }) => `${place} ${name}`),
      ["path gift_id", "query giver", "body to.quote_id"]
    )
  })

  it("hold every parameter of a path of the contract", () => {
    const parameters = contract.operations.flatMap(({ path }) => path.match(/\{\w+\}/gu) ?? [])
    assert.lengthOf(
      allPlaces(contract).filter(({ in: place }) => place === "path"),
      parameters.length
    )
    assert.isAbove(parameters.length, 14)
  })
})

describe("an answer on the wire", () => {
  const read = (text: string, closed = false) => readAnswer(Buffer.from(text), closed, false)

  it("is read once it is whole, whatever its framing", () => {
    const head = "HTTP/1.1 200 OK\r\n"
    assert.isUndefined(read(`${head}content-length: 3\r\n\r\nab`))
    assert.strictEqual(read(`${head}content-length: 3\r\n\r\nabc`)?.body, "abc")
    assert.isUndefined(read(`${head}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n`))
    assert.strictEqual(read(`${head}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`)?.body, "ab")
    assert.isUndefined(read(`${head}\r\nab`))
    assert.strictEqual(read(`${head}\r\nab`, true)?.body, "ab")
    assert.strictEqual(read(`HTTP/1.1 100 Continue\r\n\r\n${head}content-length: 0\r\n\r\n`)?.status, 200)
    assert.isUndefined(read("nonsense", true))
  })
})
