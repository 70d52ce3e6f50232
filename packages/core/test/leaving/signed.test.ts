import type { View } from "@bursar/core/engine/View"
import { allGranted } from "@bursar/core/grant/GrantState"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { revokedInChain, revokedInRows, signedBy, signingKeyOff } from "@bursar/core/leaving/signingKeyOff"
import { lookAtPrices } from "@bursar/core/leaving/unreviewed"
import { lookAtSignature } from "@bursar/core/leaving/unsigned"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import { Prices } from "@bursar/core/port/Prices"
import { type SignedOrder, SignedOrders } from "@bursar/core/port/SignedOrders"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signingKey, world } from "../grant/chain.ts"

const evidence = { keyid: "k", signature_base: "b", signature: "s", body: "b" }

const operation = (more: object = {}, kind: OperationKind = "WITHDRAWAL") =>
  ({
    id: "o",
    kind,
    status: "ACCEPTED",
    amount: of(1n, "USDC_BASE"),
    details: { signature: evidence, made_by: "t_live_AAAAAAAA", ...more }
  }) as unknown as Operation // all of it that is looked at

type Row = readonly [apiKeyId: string, keyid: string, revokedAt: number | null]

const rows = (...all: ReadonlyArray<Row>) =>
  ({
    group: () => all.map(([apiKeyId, keyid, revokedAt], createdAt) => ({ apiKeyId, keyid, revokedAt, createdAt }))
  }) as unknown as View // all of a view that is looked at

describe("the key that signed a request", () => {
  it("is the one of its evidence, for the API key by which the request came", () => {
    assert.deepStrictEqual(signedBy(operation()), { keyid: "k", apiKeyId: "AAAAAAAA" })
    assert.deepStrictEqual(signedBy(operation({ made_by: undefined })), { keyid: "k", apiKeyId: undefined })
    assert.deepStrictEqual(signedBy(operation(), "t_live_BBBBBBBB"), { keyid: "k", apiKeyId: "BBBBBBBB" })
    assert.isUndefined(signedBy(operation({ signature: undefined })))
  })

  it.each<readonly [string, ReadonlyArray<Row>, number | undefined]>([
    ["was never bound", [], undefined],
    ["counts", [["A", "k", null]], undefined],
    ["was revoked for this API key", [["A", "k", 5]], 5],
    [
      "was revoked for this API key, and counts for another",
      [
        ["A", "k", 5],
        ["B", "k", null]
      ],
      5
    ],
    [
      "counts for this API key, and was revoked for another",
      [
        ["B", "k", 5],
        ["A", "k", null]
      ],
      undefined
    ],
    ["is bound to others alone, and was revoked", [["B", "k", 5]], 5],
    [
      "is bound to others alone, and counts for one",
      [
        ["B", "k", 5],
        ["C", "k", null]
      ],
      undefined
    ],
    [
      "is bound to others alone, and was revoked for all: first counts",
      [
        ["B", "k", 7],
        ["C", "k", 5]
      ],
      5
    ],
    ["is not the one that was revoked", [["A", "other", 5]], undefined],
    [
      "counts beside one that was revoked",
      [
        ["A", "other", 5],
        ["A", "k", null]
      ],
      undefined
    ],
    [
      "was revoked beside one that counts",
      [
        ["A", "other", null],
        ["A", "k", 5]
      ],
      5
    ]
  ])("%s", (_, all, revoked) => {
    assert.strictEqual(revokedInRows(rows(...all), { keyid: "k", apiKeyId: "A" }), revoked)
  })

  it("is any of that name where nobody knows the API key", () => {
    const by = { keyid: "k", apiKeyId: undefined }
    assert.strictEqual(revokedInRows(rows(["B", "k", 5]), by), 5)
    assert.isUndefined(revokedInRows(rows(["B", "k", 5], ["C", "k", null]), by))
  })

  it("holds what it signed once it was revoked, until an operator approves it afterwards", () => {
    const rule = signingKeyOff((_, { details }) => details.made_by)
    const revoked = rows(["AAAAAAAA", "k", 5])
    const holds = (more: object = {}, view = revoked) =>
      rule(view, operation(more), { name: "fake", environment: "LIVE" }) !== undefined
    const approvedAt = (at: number | null, state = "APPROVED") => ({ review: { state, by: "olga", at, reason: null } })
    assert.isTrue(holds())
    assert.isFalse(holds({}, rows(["AAAAAAAA", "k", null])))
    assert.isFalse(holds({ signature: undefined }), "what nobody signed is for others to judge")
    assert.isFalse(holds(approvedAt(6)))
    for (const at of [null, 4, 5]) assert.isTrue(holds(approvedAt(at)))
    assert.isTrue(holds(approvedAt(6, "REJECTED")))
  })

  it.effect("is revoked by the chain as by the rows: for its API key, else for all", () =>
    Effect.gen(function* () {
      const { ann, bob, chain, grant } = yield* world()
      const { keyid } = signingKey
      const say = (api_key_id: string, state: "ACTIVE" | "REVOKED") =>
        grant("signing_key", { ...signingKey, api_key_id, state }, [ann, bob])
      const revoked = (apiKeyId: string | undefined, of = keyid) =>
        revokedInChain(chain().tenant, { keyid: of, apiKeyId })
      const number = () => Math.max(...allGranted(chain().tenant, "signing_key").map((one) => one.number))
      yield* grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }), [ann, bob])
      yield* say("AAAAAAAA", "ACTIVE")
      yield* say("BBBBBBBB", "ACTIVE")
      assert.deepStrictEqual(
        [revoked("AAAAAAAA"), revoked("CCCCCCCC"), revoked(undefined)],
        [undefined, undefined, undefined]
      )
      yield* say("AAAAAAAA", "REVOKED")
      const first = number()
      assert.deepStrictEqual([revoked("AAAAAAAA"), revoked("BBBBBBBB")], [first, undefined])
      assert.deepStrictEqual([revoked("CCCCCCCC"), revoked(undefined)], [undefined, undefined])
      yield* say("BBBBBBBB", "REVOKED")
      const second = number()
      assert.isTrue(second > first)
      assert.deepStrictEqual([revoked("AAAAAAAA"), revoked("BBBBBBBB")], [first, second])
      // whoever answers for it has to know of the last one
      assert.deepStrictEqual([revoked("CCCCCCCC"), revoked(undefined)], [second, second])
      assert.isUndefined(revoked("AAAAAAAA", "another"))
    })
  )
})

/** A tenant with a granted policy. */
const granted = Effect.fnUntraced(function* (policy: Partial<TenantPolicy>) {
  const { ann, bob, chain, grant } = yield* world()
  yield* grant("policy", policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } }), [ann, bob])
  yield* grant("signing_key", signingKey, [ann, bob])
  return chain()
})

describe("the signature of an order", () => {
  it.effect("is looked at where the granted policy demands one of its kind, and nowhere else", () =>
    Effect.gen(function* () {
      const asked: Array<SignedOrder> = []
      const verifier = SignedOrders.of({
        objection: (order) => Effect.sync(() => (asked.push(order), "it says something else"))
      })
      const look = (kind: OperationKind, ruling: Parameters<typeof lookAtSignature>[1]) =>
        Effect.map(
          Effect.provideService(lookAtSignature(operation({}, kind), ruling), SignedOrders, verifier),
          ({ objection }) => objection
        )
      const all = ["WITHDRAWAL", "SWAP", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP"] as const
      for (const [demanded, kinds] of [
        ["withdrawals", ["WITHDRAWAL"]],
        ["swaps", ["SWAP"]],
        ["transfers", ["OFF_RAMP", "BANK_TRANSFER", "REFUND"]]
      ] as const) {
        const ruling = yield* granted({ signaturesRequired: [demanded] })
        const objected = yield* Effect.filter(all, (kind) =>
          Effect.map(look(kind, ruling), (objection) => objection === "it says something else")
        )
        assert.deepStrictEqual(objected, [...kinds])
      }
      assert.deepStrictEqual(
        asked.map((order) => order.operation.kind),
        ["WITHDRAWAL", "SWAP", "OFF_RAMP", "BANK_TRANSFER", "REFUND"]
      )
      for (const { signingKeys } of asked)
        assert.deepStrictEqual(
          signingKeys.map(({ keyid }) => keyid),
          [signingKey.keyid]
        )
      // where rows decide nothing is said here
      assert.isUndefined(yield* look("WITHDRAWAL", undefined))
    })
  )

  it.effect("is not taken for good where nothing can verify it", () =>
    Effect.gen(function* () {
      const ruling = yield* granted({ signaturesRequired: ["withdrawals"] })
      const read = operation()
      const seen = yield* lookAtSignature(read, ruling)
      assert.strictEqual(seen.read, read)
      assert.isDefined(seen.objection)
      assert.isUndefined((yield* lookAtSignature(operation({}, "SWAP"), ruling)).objection)
    })
  )
})

describe("the prices that are looked at", () => {
  it.effect("are those of what the granted policy has reviewed, once for each currency, as far as they are known", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const rate = { price: { units: 1n, decimals: 0 }, source: "test", observedAt: 0 }
      const prices = {
        usd: (currency: string) => Effect.sync(() => (asked.push(currency), currency === "BTC" ? null : rate))
      } as unknown as Prices["Service"] // all that is asked
      const some = (
        [
          ["WITHDRAWAL", "USDC_BASE"],
          ["BANK_TRANSFER", "EUR"],
          ["BANK_TRANSFER", "EUR"],
          ["CHAIN_PAYOUT", "BTC"],
          ["SWAP", "ETH"]
        ] as const
      ).map(([kind, currency]) => ({ kind, amount: of(1n, currency) }))
      const look = (ruling: Parameters<typeof lookAtPrices>[0]) =>
        Effect.provideService(lookAtPrices(ruling, defaultCurrencies, some), Prices, prices)
      const valued = yield* look(yield* granted({ payoutReviewUsd: "1", withdrawalReviewUsd: null }))
      assert.deepStrictEqual(asked, ["EUR", "BTC"])
      assert.deepStrictEqual(valued, { currencies: defaultCurrencies, usd: new Map([["EUR", rate]]) })
      const ruling = yield* granted({ payoutReviewUsd: null, withdrawalReviewUsd: "1" })
      assert.deepStrictEqual([...(yield* look(ruling)).usd.keys()], ["USDC_BASE"])
      // nobody is asked where no grants are, and nothing is known where nobody tells
      assert.strictEqual((yield* look(undefined)).usd.size, 0)
      assert.strictEqual(asked.length, 3)
      assert.strictEqual((yield* lookAtPrices(ruling, defaultCurrencies, some)).usd.size, 0)
    })
  )
})
