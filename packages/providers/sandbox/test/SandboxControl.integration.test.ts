import { ControlError, get, post, SandboxControl } from "@bursar/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const routes = [
  get("/one", () => Effect.succeed({ one: 1 })),
  post("/identity/{applicant}/result", Schema.Struct({ status: Schema.String }), ({ status }, { applicant = "" }) =>
    applicant === "nobody"
      ? Effect.fail(new ControlError({ code: "not_found", message: "no such applicant", hint: "Open a check first." }))
      : Effect.succeed({ applicant, status })
  ),
  get("/broken", () => Effect.die(new Error("broken")))
]

const call = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    const body: unknown = await response.json()
    return { status: response.status, body }
  })

const json = (body: string): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/json" }
})

const codeOf = (body: unknown) =>
  Schema.decodeUnknownSync(Schema.Struct({ error: Schema.Struct({ code: Schema.String }) }))(body).error.code

describe("SandboxControl", () => {
  it.live("serves the routes of every area, with what stands in their paths", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxControl.serve(routes)
      assert.deepStrictEqual(yield* call(`${url}/one`), { status: 200, body: { one: 1 } })
      assert.deepStrictEqual(yield* call(`${url}/identity/a%2Fb/result`, json(`{"status":"APPROVED"}`)), {
        status: 200,
        body: { applicant: "a/b", status: "APPROVED" }
      })
    })
  )

  it.live("says what is wrong", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxControl.serve(routes)
      const result = `${url}/identity/x/result`
      const wrong = [
        [`${url}/two`, {}, 404, "not_found"],
        [`${url}/one`, json("{}"), 404, "not_found"],
        [result, json("{"), 422, "invalid_request"],
        [result, json("{}"), 422, "invalid_request"],
        [result, { method: "POST", body: "{}" }, 415, "not_json"],
        [`${url}/identity/nobody/result`, json(`{"status":"APPROVED"}`), 404, "not_found"],
        [`${url}/broken`, {}, 500, "internal_error"]
      ] as const
      for (const [to, init, status, code] of wrong) {
        const answer = yield* call(to, init)
        assert.deepStrictEqual([answer.status, codeOf(answer.body)], [status, code], to)
      }
    })
  )

  it.live("refuses a port that is taken, and frees its own", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(
        Effect.gen(function* () {
          const first = yield* SandboxControl.serve(routes)
          const error = yield* Effect.flip(SandboxControl.serve(routes, first.port))
          assert.strictEqual(error.code, "failed")
          return first.port
        })
      )
      assert.strictEqual((yield* SandboxControl.serve(routes, port)).port, port)
    })
  )
})
