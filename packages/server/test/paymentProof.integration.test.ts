import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import {
  codeOf,
  type PayoutService,
  money,
  startPayoutService,
  receiver,
  stellarReceiver,
  test
} from "./support/PayoutService.ts"

const txHash = `0x${"1f".repeat(32)}`

const somebody = `0x${"E0".repeat(20)}`

const idempotencyRecord = {
  rail: { currency: "USDT_ETH", network: "ethereum" },
  tx_hash: txHash,
  destination: receiver,
  amount: money("12.5"),
  senders: [somebody]
}

const prove = ({ key, send }: PayoutService, body: unknown, as = key) =>
  send("POST", "/v1/payments/proof", { key: as, body })

describe("the proof of a payment", () => {
  test("is what the chain says of the claim, with every field of the contract, and nothing is written", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const before = [service.books(), service.kept()]
      const verdicts = [
        [
          { verdict: "PROVEN", detail: "12.5 USDT in block 7", fee: null },
          { verdict: "PROVEN", detail: "12.5 USDT in block 7", reason: null }
        ],
        [
          { verdict: "NOT_PROVEN", reason: "The receiver was another." },
          { verdict: "NOT_PROVEN", detail: null, reason: "The receiver was another." }
        ],
        [
          { verdict: "NOT_FINAL", reason: "It is in block 9, which is not final yet." },
          { verdict: "UNREADABLE", detail: null, reason: "It is in block 9, which is not final yet." }
        ],
        [
          { verdict: "UNREADABLE", reason: "The chain cannot be read now." },
          { verdict: "UNREADABLE", detail: null, reason: "The chain cannot be read now." }
        ]
      ] as const
      for (const [said, expected] of verdicts) {
        world.proof = said
        const answer = yield* prove(service, idempotencyRecord)
        assert.deepStrictEqual([answer.status, answer.body], [200, expected])
      }
      assert.deepStrictEqual([service.books(), service.kept()], before)
    }))

  test("asks the chain for exactly what is claimed, in its own terms", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      yield* prove(service, idempotencyRecord)
      yield* prove(service, {
        ...idempotencyRecord,
        rail: { currency: "ETH", network: "ethereum" },
        amount: money("0.5", "ETH")
      })
      const onStellar = {
        rail: { currency: "XLM", network: "stellar" },
        tx_hash: "ab".repeat(32),
        destination: stellarReceiver,
        amount: money("1", "XLM"),
        senders: []
      }
      for (const memo of [undefined, null, "7", "id:7"])
        yield* prove(service, { ...onStellar, ...(memo !== undefined && { memo }) })
      const [token, coin, ...memos] = world.asked.proofs
      assert.deepStrictEqual(token, {
        txHash,
        contract: defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null,
        units: 12_500_000n,
        to: receiver.toLowerCase(),
        senders: [somebody.toLowerCase()],
        memo: null
      })
      assert.deepInclude(coin, { contract: null, units: 500_000_000_000_000_000n })
      assert.deepStrictEqual(
        memos.map(({ memo, senders }) => [memo, senders]),
        [null, null, "7", "id:7"].map((memo) => [memo, []])
      )
    }))

  test("asks the chain for the hash as its network writes it, however the partner does", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const digits = "1f".repeat(32)
      const onStellar = {
        rail: { currency: "XLM", network: "stellar" },
        destination: stellarReceiver,
        amount: money("1", "XLM"),
        senders: []
      }
      for (const claim of [idempotencyRecord, onStellar])
        for (const hash of [digits, digits.toUpperCase(), `0x${digits}`, `0X${digits.toUpperCase()}`])
          assert.strictEqual((yield* prove(service, { ...claim, tx_hash: hash })).status, 200, hash)
      assert.deepStrictEqual(
        world.asked.proofs.map((one) => one.txHash),
        [...Array.from({ length: 4 }, () => `0x${digits}`), ...Array.from({ length: 4 }, () => digits)]
      )
    }))

  test("says that it can read nothing of a network whose node does not answer", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      world.proof = { verdict: "PROVEN", detail: "of another network", fee: null }
      const rail = { currency: "USDC_BASE", network: "base" }
      const { body, status } = yield* prove(service, { ...idempotencyRecord, rail, amount: money("1", "USDC_BASE") })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, { verdict: "UNREADABLE", detail: null, reason: "there is no node" })
      assert.deepStrictEqual(world.asked.proofs, [])
    }))

  test("needs withdrawals:read and no more: no signature and no idempotency key", () =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const { seeder, tenant } = service
      const others = yield* seeder.key(tenant, ["chain_payouts:read", "chain_payouts:write", "withdrawals:write"])
      const refused = yield* prove(service, idempotencyRecord, others)
      assert.deepStrictEqual(codeOf(refused), [403, "scope_missing"])
      assert.deepStrictEqual(refused.body.error.detail, { required_scope: "withdrawals:read" })
      assert.deepStrictEqual(codeOf(yield* prove(service, idempotencyRecord, "nonsense")), [401, "key_invalid"])
      const reader = yield* seeder.key(tenant, ["withdrawals:read"])
      assert.strictEqual((yield* prove(service, idempotencyRecord, reader)).status, 200)
    }))

  const bad: ReadonlyArray<readonly [string, unknown, string, string?]> = [
    ["no rail", { ...idempotencyRecord, rail: undefined }, "invalid_request", "body.rail"],
    ["no senders", { ...idempotencyRecord, senders: undefined }, "invalid_request", "body.senders"],
    [
      "too many senders",
      { ...idempotencyRecord, senders: Array.from({ length: 101 }, () => somebody) },
      "invalid_request"
    ],
    ["no hash", { ...idempotencyRecord, tx_hash: "" }, "invalid_request", "body.tx_hash"],
    ["a hash that is too long", { ...idempotencyRecord, tx_hash: "1".repeat(129) }, "invalid_request", "body.tx_hash"],
    ["a hash that is none", { ...idempotencyRecord, tx_hash: "ab".repeat(31) }, "invalid_request", "body.tx_hash"],
    ["a field beside", { ...idempotencyRecord, status: "SETTLED" }, "unknown_field", "body.status"],
    [
      "an unknown network",
      { ...idempotencyRecord, rail: { currency: "USDT_ETH", network: "dogecoin" } },
      "unknown_network"
    ],
    ["a network that is off", { ...idempotencyRecord, rail: { currency: "TRX", network: "tron" } }, "unknown_network"],
    [
      "an unknown currency",
      { ...idempotencyRecord, rail: { currency: "DOGE", network: "ethereum" } },
      "unsupported_asset"
    ],
    [
      "a currency of another network",
      { ...idempotencyRecord, rail: { currency: "USDC_BASE", network: "ethereum" } },
      "unsupported_asset"
    ],
    ["an amount of another currency", { ...idempotencyRecord, amount: money("1", "ETH") }, "unsupported_asset"],
    ["an amount of no currency", { ...idempotencyRecord, amount: money("1", "DOGE") }, "unsupported_asset"],
    ["nothing", { ...idempotencyRecord, amount: money("0") }, "amount_invalid"],
    ["less than nothing", { ...idempotencyRecord, amount: money("-1") }, "amount_invalid", "body.amount.amount"],
    ["more decimals than there are", { ...idempotencyRecord, amount: money("0.0000001") }, "amount_too_precise"],
    ["a receiver that is none", { ...idempotencyRecord, destination: "nobody" }, "address_invalid"],
    ["a sender that is none", { ...idempotencyRecord, senders: [somebody, "nobody"] }, "address_invalid"]
  ]
  test("is not looked for where the claim makes no sense, each for its own reason", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const before = [service.books(), service.kept()]
      for (const [what, body, code, at] of bad) {
        const answer = yield* prove(service, body)
        assert.deepStrictEqual(codeOf(answer), [422, code], what)
        if (at === undefined) continue
        assert.deepStrictEqual(
          answer.body.error.fields.map((one: { readonly path: string }) => one.path),
          [at],
          what
        )
      }
      assert.deepStrictEqual(world.asked.proofs, [])
      assert.deepStrictEqual([service.books(), service.kept()], before)
    }))
})
