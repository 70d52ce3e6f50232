import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/echo.ts"

interface Refused {
  readonly code: string
  readonly fields?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>
}

const refusal = (method: string, path: string, options?: Parameters<typeof send>[2]) =>
  Effect.map(send(method, path, options), ({ body, status }) => {
    const { code, fields } = body["error"] as Refused
    return { status, code, fields: fields?.map((field) => `${field.path} ${field.code}`) }
  })

const addresses = (count: number) =>
  Array.from({ length: count }, () => ({ network: "nowhere", address: "?", reference: "r" }))

const amount = { amount: "10", currency: "USDT_TRON" }

describe("a request that breaks its schema", () => {
  it.effect("with a field that is not part of the contract is refused as unknown_field", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* refusal("POST", "/v1/withdrawals", {
          body: { amount, destination: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" }
        }),
        { status: 422, code: "unknown_field", fields: ["body.destination unknown_field"] }
      )
    })
  )

  for (const text of ["-5", "+5", "1e5", "", ".5", "5.", "007", " 5", "5\n", "0x5", "٥", "5".repeat(81)]) {
    it.effect(`with the amount ${JSON.stringify(text)} is refused as amount_invalid`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* refusal("POST", "/v1/withdrawals", { body: { amount: { ...amount, amount: text } } }).pipe(
            Effect.map(({ code, status }) => ({ code, status }))
          ),
          { status: 422, code: "amount_invalid" }
        )
      })
    )
  }

  it.effect("with an amount that is a JSON number is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* refusal("POST", "/v1/withdrawals", { body: { amount: { ...amount, amount: 10 } } }),
        { status: 422, code: "invalid_request", fields: ["body.amount.amount invalid_request"] }
      )
    })
  )

  it.effect("lists every broken field with its own code", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* refusal("POST", "/v1/chain-payouts", {
          body: { amount: { amount: "1e5", currency: "BTC" }, network: "bitcoin", destination: { addres: "x" } }
        }),
        {
          status: 422,
          code: "invalid_request",
          fields: [
            "body.amount.amount amount_invalid",
            "body.destination.addres unknown_field",
            "body.destination.address invalid_request",
            "body.reference invalid_request"
          ]
        }
      )
    })
  )

  for (const limit of ["0", "501", "-1"]) {
    it.effect(`with limit=${limit} is refused as limit_out_of_range, never clamped`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* refusal("GET", `/v1/events?limit=${limit}`), {
          status: 422,
          code: "limit_out_of_range",
          fields: ["query.limit limit_out_of_range"]
        })
      })
    )
  }

  for (const limit of ["", "ten", "1.5", "1e2", "0x10"]) {
    it.effect(`with limit=${limit} is refused, since that is no whole number`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* refusal("GET", `/v1/events?limit=${limit}`), {
          status: 422,
          code: "invalid_request",
          fields: ["query.limit invalid_request"]
        })
      })
    )
  }

  for (const raw of ["{", "undefined", "{'amount': 1}"]) {
    it.effect(`with the body ${JSON.stringify(raw)} is malformed`, () =>
      Effect.gen(function* () {
        const { code, status } = yield* refusal("POST", "/v1/withdrawals", { raw })
        assert.deepStrictEqual({ code, status }, { code: "malformed_request", status: 400 })
      })
    )
  }

  for (const raw of ["", "null", "[]", "5", '"text"']) {
    it.effect(`with the body ${JSON.stringify(raw)} is not valid`, () =>
      Effect.gen(function* () {
        const { code, status } = yield* refusal("POST", "/v1/withdrawals", { raw })
        assert.deepStrictEqual({ code, status }, { code: "invalid_request", status: 422 })
      })
    )
  }

  it.effect("takes 500 addresses and refuses 501", () =>
    Effect.gen(function* () {
      const taken = yield* send("POST", "/v1/deposit-addresses", { body: { addresses: addresses(500) } })
      assert.strictEqual(taken.status, 200)
      assert.deepStrictEqual(yield* refusal("POST", "/v1/deposit-addresses", { body: { addresses: addresses(501) } }), {
        status: 422,
        code: "invalid_request",
        fields: ["body.addresses invalid_request"]
      })
      assert.deepStrictEqual(yield* refusal("POST", "/v1/deposit-addresses", { body: { addresses: [] } }), {
        status: 422,
        code: "invalid_request",
        fields: ["body.addresses invalid_request"]
      })
    })
  )

  it.effect("names the item of a batch that is at fault", () =>
    Effect.gen(function* () {
      const good = { network: "bitcoin", address: "?", reference: "r" }
      assert.deepStrictEqual(
        yield* refusal("POST", "/v1/deposit-addresses", {
          body: { addresses: [good, { ...good, watch_from: "today" }] }
        }),
        { status: 422, code: "invalid_request", fields: ["body.addresses.1.watch_from invalid_request"] }
      )
    })
  )
})
