import { addressItem } from "@bursar/testkit/fixtures/deposits"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "./support/Partner.ts"
import {
  charge,
  codeOf,
  type PayoutService,
  type PayoutServiceOptions,
  fairWorld,
  money,
  startPayoutService,
  paying,
  receiver,
  stellarReceiver,
  test,
  baseRequest,
  withMemo,
  type World
} from "./support/PayoutService.ts"

/** A refusal: what is wrong, its code, the body, and what differs from the usual desk and world. */
interface Refused {
  readonly what: string
  readonly code: string
  readonly body?: unknown
  readonly service?: PayoutServiceOptions
  readonly world?: Partial<Omit<World, "asked">>
  /** What comes before. */
  readonly first?: (service: PayoutService) => Effect.Effect<unknown>
  readonly detail?: unknown
}

const to = (address: string, memo?: string) => ({
  ...baseRequest,
  destination: { address, ...(memo !== undefined && { memo }) }
})

const ownAddress = `0x${"c".repeat(40)}`

const registers = (network: "ethereum" | "base") => (service: PayoutService) =>
  service.seeder.submit(service.tenant, registerAddresses([addressItem(ownAddress, { network })]))

const unpayable = (code: "address_invalid" | "memo_required" | "memo_invalid") => ({
  preflight: { _tag: "Unpayable", code, message: "by the chain" } as const
})

const paysFirst = ({ pay }: PayoutService) => pay(baseRequest)

const refusals: ReadonlyArray<Refused> = [
  { what: "a network that does not exist", code: "unknown_network", body: { ...baseRequest, network: "dogecoin" } },
  {
    what: "a network that is switched off",
    code: "unknown_network",
    body: { ...baseRequest, network: "tron", amount: money("1", "TRX") }
  },
  { what: "a currency that does not exist", code: "unsupported_asset", body: paying("1", "DOGE") },
  { what: "a currency of another network", code: "unsupported_asset", body: paying("1", "USDC_BASE") },
  { what: "fiat", code: "unsupported_asset", body: paying("1", "EUR") },
  { what: "what is no address", code: "address_invalid", body: to("nobody") },
  { what: "an address with a wrong checksum", code: "address_invalid", body: to(`0x${"f".repeat(40)}`) },
  { what: "an address of another network", code: "address_invalid", body: to(stellarReceiver) },
  {
    what: "the contract of the asset",
    code: "address_invalid",
    body: to("0xdAC17F958D2ee523a2206206994597C13D831ec7")
  },
  { what: "a receiver that the chain knows as unable", code: "address_invalid", world: unpayable("address_invalid") },
  { what: "an address of its own", code: "address_is_ours", body: to(ownAddress), first: registers("ethereum") },
  {
    what: "an address whose key is its own on another network",
    code: "address_is_ours",
    body: to(ownAddress.toUpperCase().replace("0X", "0x")),
    first: registers("base")
  },
  {
    what: "a receiver that takes nothing without a memo",
    code: "memo_required",
    body: withMemo(),
    world: unpayable("memo_required")
  },
  { what: "a memo where there are none", code: "memo_invalid", body: to(receiver, "7") },
  { what: "a memo of nothing", code: "memo_invalid", body: withMemo("text:") },
  { what: "a memo that is too long", code: "memo_invalid", body: withMemo("x".repeat(29)) },
  { what: "a memo that is no id", code: "memo_invalid", body: withMemo("id:-1") },
  { what: "a memo that is no hash", code: "memo_invalid", body: withMemo("hash:00") },
  {
    what: "a memo that the receiver cannot take",
    code: "memo_invalid",
    body: withMemo("7"),
    world: unpayable("memo_invalid")
  },
  { what: "nothing", code: "amount_invalid", body: paying("0") },
  { what: "nothing with decimals", code: "amount_invalid", body: paying("0.000") },
  { what: "more decimals than there are", code: "amount_too_precise", body: paying("1.0000001") },
  {
    what: "less than the chain carries",
    code: "below_minimum",
    world: {
      preflight: { _tag: "Unpayable", code: "below_minimum", message: "by the chain", minimum: 150_500_000n }
    },
    detail: { minimum: money("150.5") }
  },
  {
    what: "a unit more than there is",
    code: "insufficient_balance",
    body: paying("1000.000001"),
    detail: { available: money("1000"), backed: money("1000"), required: money("1000.000001") }
  },
  {
    what: "all that there is, and a fee on top",
    code: "insufficient_balance",
    body: paying("1000"),
    first: charge,
    detail: { available: money("1000"), backed: money("1000"), required: money("1010") }
  },
  {
    what: "what is held already",
    code: "insufficient_balance",
    body: paying("900.000001"),
    first: paysFirst,
    detail: { available: money("900"), backed: money("900"), required: money("900.000001") }
  },
  {
    what: "more than one payout may be",
    code: "payout_limit_exceeded",
    body: paying("100.01"),
    service: { policy: { payoutLimitUsd: "100" } },
    detail: { limit_usd: "100", used_usd: "0" }
  },
  {
    what: "more than the rest of the day",
    code: "daily_limit_exceeded",
    body: paying("50.01"),
    service: { policy: { payoutDailyLimitUsd: "150" } },
    first: paysFirst,
    detail: { limit_usd: "150", used_usd: "100" }
  },
  {
    what: "more than new addresses may have of a day",
    code: "new_address_limit_exceeded",
    body: { ...paying("50.01"), destination: { address: `0x${"d".repeat(40)}` } },
    service: { policy: { payoutNewAddressLimitUsd: "150" } },
    first: paysFirst,
    detail: { limit_usd: "150", used_usd: "100" }
  },
  { what: "another tenant's request", code: "tenant_mismatch", body: { ...baseRequest, tenant: "tenant-999" } }
]

describe("a chain payout is refused, now and whenever it is asked for again, and nothing changes:", () => {
  for (const { body = baseRequest, code, service: options, detail, first, what, world: changes } of refusals) {
    test(
      `${what} (${code})`,
      (world) =>
        Effect.gen(function* () {
          const service = yield* startPayoutService(options)
          if (first !== undefined) yield* first(service)
          Object.assign(world, changes)
          const before = service.books()
          const [answers = 0, nonces = 0] = service.kept()
          const refused = yield* service.pay(body, "refused")
          assert.deepStrictEqual(codeOf(refused), [422, code], refused.text)
          assert.isFalse(refused.body.error.retryable)
          if (detail !== undefined) assert.deepStrictEqual(refused.body.error.detail, detail)
          Object.assign(world, fairWorld())
          const again = yield* service.pay(body, "refused")
          const withoutId = ({ error: { request_id: _id, ...error } }: Answer["body"]) => error
          assert.deepStrictEqual([again.status, withoutId(again.body)], [422, withoutId(refused.body)])
          assert.strictEqual(again.headers["idempotency-replayed"], "true")
          const byKey = yield* service.get("/v1/operations/by-key/refused")
          assert.deepInclude(byKey.body, { state: "REFUSED", response_status: 422, operation: null })
          assert.deepStrictEqual(service.books(), before)
          assert.deepStrictEqual(service.kept(), [answers + 1, nonces + 2])
        }),
      { payoutsOff: ["bsc"] }
    )
  }
})

const notNow: ReadonlyArray<Refused> = [
  {
    what: "anything where the tenant's are off",
    code: "payouts_disabled",
    service: { policy: { payoutsEnabled: false } }
  },
  {
    what: "anything on a network where the tenant's are off",
    code: "payouts_disabled",
    service: { policy: { payoutsOffOn: ["ethereum"] } }
  },
  { what: "anything without a wallet", code: "payouts_disabled", service: { wallets: ["stellar"] } },
  {
    what: "anything where everybody's are off",
    code: "payouts_disabled",
    body: { ...baseRequest, network: "bsc", amount: money("0.1", "BNB") }
  },
  { what: "what has no price", code: "price_unavailable", world: { usd: { ETH: 1n } } },
  { what: "what has no price of now", code: "price_unavailable", world: { priceAgeMs: 360_000 } }
]

describe("a chain payout is refused for now, and may be asked for again under the same key:", () => {
  for (const { body = baseRequest, code, service: options, what, world: changes } of notNow) {
    test(
      `${what} (${code})`,
      (world) =>
        Effect.gen(function* () {
          const service = yield* startPayoutService(options)
          Object.assign(world, changes)
          const before = [service.books(), service.kept()]
          const refused = yield* service.pay(body, "refused")
          assert.deepStrictEqual(codeOf(refused), [422, code], refused.text)
          assert.deepStrictEqual(codeOf(yield* service.get("/v1/operations/by-key/refused")), [
            404,
            "no_operation_for_key"
          ])
          assert.deepStrictEqual([service.books(), service.kept()], before)
        }),
      { payoutsOff: ["bsc"] }
    )
  }

  test("the price comes back, and the request that was refused for it is carried out", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      world.usd = {}
      assert.deepStrictEqual(codeOf(yield* service.pay(baseRequest, "again")), [422, "price_unavailable"])
      Object.assign(world, fairWorld())
      const accepted = yield* service.pay(baseRequest, "again")
      assert.strictEqual(accepted.status, 201, accepted.text)
      assert.isUndefined(accepted.headers["idempotency-replayed"])
    }))
})

describe("a chain payout", () => {
  const malformed: ReadonlyArray<readonly [string, unknown, string, string?]> = [
    ["nothing but an object", {}, "invalid_request"],
    ["a list", [], "invalid_request"],
    ["no reference", { ...baseRequest, reference: undefined }, "invalid_request", "body.reference"],
    ["an empty reference", { ...baseRequest, reference: "" }, "invalid_request", "body.reference"],
    [
      "a reference that is too long",
      { ...baseRequest, reference: "r".repeat(201) },
      "invalid_request",
      "body.reference"
    ],
    ["a reference with a NUL", { ...baseRequest, reference: "a\u0000b" }, "invalid_request"],
    ["a network that is too long", { ...baseRequest, network: "n".repeat(21) }, "invalid_request", "body.network"],
    ["a destination that is a text", { ...baseRequest, destination: receiver }, "invalid_request", "body.destination"],
    ["no address", { ...baseRequest, destination: {} }, "invalid_request", "body.destination.address"],
    ["an address that is too long", to("1".repeat(129)), "invalid_request", "body.destination.address"],
    [
      "a memo that is a number",
      { ...baseRequest, destination: { address: receiver, memo: 7 } },
      "invalid_request",
      "body.destination.memo"
    ],
    [
      "an amount that is a number",
      { ...baseRequest, amount: { amount: 1, currency: "ETH" } },
      "invalid_request",
      "body.amount.amount"
    ],
    [
      "an amount without a currency",
      { ...baseRequest, amount: { amount: "1" } },
      "invalid_request",
      "body.amount.currency"
    ],
    ...["-1", "+1", "1e3", "01", ".5", "1.", "1,5", " 1", "", "1".repeat(81)].map(
      (amount): readonly [string, unknown, string, string] => [
        `the amount ${JSON.stringify(amount)}`,
        paying(amount),
        "amount_invalid",
        "body.amount.amount"
      ]
    ),
    ["a field beside", { ...baseRequest, memo: "7" }, "unknown_field", "body.memo"],
    [
      "a field beside the address",
      { ...baseRequest, destination: { address: receiver, tag: "7" } },
      "unknown_field",
      "body.destination.tag"
    ],
    [
      "a field beside the amount",
      { ...baseRequest, amount: { ...money("1"), fee: "0" } },
      "unknown_field",
      "body.amount.fee"
    ]
  ]

  test("that is no request by the contract is refused with the field at fault, and not even that is kept", () =>
    Effect.gen(function* () {
      const { books, kept, pay, payRaw } = yield* startPayoutService()
      const before = [books(), kept()]
      for (const [what, body, code, at] of malformed) {
        const answer = yield* pay(body)
        assert.deepStrictEqual(codeOf(answer), [422, code], `${what}: ${answer.text}`)
        if (at === undefined) continue
        const paths = answer.body.error.fields.map((one: { readonly path: string }) => one.path)
        assert.deepStrictEqual(paths, [at], what)
      }
      assert.deepStrictEqual(codeOf(yield* payRaw("no JSON")), [400, "malformed_request"])
      // a memo in Latin-1, signed: it would pay with another one
      const latin1 = Buffer.from(JSON.stringify(withMemo("caf\u00e9")), "latin1")
      assert.deepStrictEqual(codeOf(yield* payRaw(latin1)), [400, "malformed_request"])
      assert.deepStrictEqual(codeOf(yield* payRaw("")), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* pay(baseRequest, "a/b")), [422, "idempotency_key_invalid"])
      assert.deepStrictEqual([books(), kept()], before)
    }))
})
