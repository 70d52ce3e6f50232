import { purposes } from "@bursar/core/purposes"
import { stored } from "./support/stored.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { request as nodeRequest } from "node:http"
import type { SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { recordStatus } from "@bursar/core/transaction/recordStatus"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { payoutConditions } from "@bursar/core/payout/payoutRule"
import { leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import { assert, describe } from "@effect/vitest"
import { Clock, Deferred, Effect } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import {
  charge,
  codeOf,
  type PayoutService,
  estimateOf,
  moment,
  money,
  startPayoutService,
  path,
  paying,
  receiver,
  stellarReceiver,
  test,
  unlimited,
  baseRequest,
  withMemo
} from "./support/PayoutService.ts"
import { payoutIn } from "./support/payoutIn.ts"
import { authority, registerPair, requestOf, withClockOff } from "./support/signing.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** Signs what a payout is paid with, and tells what became of it. */
const send = Effect.fnUntraced(function* ({ seeder, state, tenant }: PayoutService, id: string, hash: string) {
  const wallets = [...stored(state, tenant, PayoutWallet).values()]
  const wallet = wallets.find(({ network }) => network === "ethereum")
  if (wallet === undefined) return yield* Effect.die(new Error("no wallet"))
  const guard = { _tag: "Next", account: wallet, first: 7n } as const
  const transaction = yield* seeder.submit(
    tenant,
    reservePayouts({ wallet, payouts: [payoutIn(state, tenant, id)], guard }, presetNetworks)
  )
  if (transaction === null) return yield* Effect.die(new Error("nothing was reserved"))
  const raw = new TextEncoder().encode(hash)
  yield* seeder.submit(
    tenant,
    recordSigned({
      transaction,
      hash,
      raw,
      validUntil: null,
      feeMax: 21_000n,
      pays: [id],
      conditions: payoutConditions([leavingOf(payoutIn(state, tenant, id))], presetNetworks.of("ethereum")),
      replaces: null,
      purposes
    })
  )
  return Effect.fnUntraced(function* (status: TransactionStatus, unresolvedAfterMs = 600_000) {
    const nextAt = yield* Clock.currentTimeMillis
    const currencies = defaultCurrencies
    yield* seeder.submit(
      tenant,
      recordStatus({ transaction, asked: [hash], status, nextAt, unresolvedAfterMs, currencies, purposes })
    )
  })
})

const hash = (digit: string) => `0x${digit.repeat(64)}`

const final = (digit: string, effect: "done" | "reverted"): TransactionStatus => ({
  _tag: "Final",
  hash: hash(digit),
  blockNumber: 10,
  blockTime: 1_700_000_000_000,
  fee: 21_000n,
  effect
})

describe("a signed chain payout", () => {
  test("is accepted with every field of the contract, held with its fee, and read again the same", () =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const { get, pay, state, tenant, wallet } = service
      yield* charge(service)
      const answer = yield* pay(baseRequest)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.isUndefined(answer.headers["idempotency-replayed"])
      const { created_at, id, ...rest } = answer.body
      assert.match(id, uuid)
      assert.match(created_at, moment)
      assert.deepStrictEqual(rest, {
        status: "ACCEPTED",
        review: null,
        amount: money("100"),
        network: "ethereum",
        destination: { address: receiver.toLowerCase(), memo: null },
        from_address: wallet,
        tx_hash: null,
        failure_reason: null,
        reference: "invoice-2041",
        settled_at: null,
        unresolved: false
      })
      const read = yield* get(`${path}/${id}`)
      assert.deepStrictEqual([read.status, read.body], [200, answer.body])
      const { body: float } = yield* get("/v1/float")
      assert.deepStrictEqual(
        float.currencies.find((one: { total: { currency: string } }) => one.total.currency === "USDT_ETH"),
        { available: money("899"), held: money("101"), total: money("1000") }
      )
      const operation = stored(state, tenant, Operation).get(id)
      assert.strictEqual(operation && evidenceOf(operation)?.keyid, service.pair.keyid)
      assert.lengthOf(
        [...state.jobs.values()].filter(({ key }) => key === id),
        1,
        "it is the sender's turn"
      )
    }))

  test("shows where it stands until it is settled, and what it failed of", () =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const { get, pay } = service
      const { body: one } = yield* pay(baseRequest)
      const told = yield* send(service, one.id, hash("1"))
      const at = (id: string) => Effect.map(get(`${path}/${id}`), ({ body }) => body)
      assert.deepStrictEqual(yield* at(one.id), { ...one, status: "PROCESSING" })
      yield* told({ _tag: "Pending", known: false }, -1)
      assert.deepStrictEqual(yield* at(one.id), { ...one, status: "PROCESSING", unresolved: true })
      yield* told(final("1", "done"))
      const settled = yield* at(one.id)
      assert.match(settled.settled_at, moment)
      assert.deepStrictEqual(settled, {
        ...one,
        status: "SETTLED",
        tx_hash: hash("1"),
        settled_at: settled.settled_at
      })
      const { body: other } = yield* pay(baseRequest)
      yield* (yield* send(service, other.id, hash("2")))(final("2", "reverted"))
      const failed = yield* at(other.id)
      assert.deepStrictEqual(
        [failed.status, failed.failure_reason, failed.settled_at, failed.unresolved],
        ["FAILED", "reverted_on_chain", null, false]
      )
    }))

  test("is one and the same under its key, and no other is made under it", (world) =>
    Effect.gen(function* () {
      const { books, kept, pay } = yield* startPayoutService()
      const first = yield* pay(baseRequest, "k")
      const before = books()
      // what has changed since does not matter: it was accepted
      world.preflight = { _tag: "Unpayable", code: "address_invalid", message: "blocked since" }
      world.usd = {}
      const reordered = Object.fromEntries(Object.entries(baseRequest).toReversed())
      for (const body of [baseRequest, reordered]) {
        const again = yield* pay(body, "k")
        assert.deepStrictEqual([again.status, again.text], [201, first.text])
        assert.strictEqual(again.headers["idempotency-replayed"], "true")
      }
      const others = [
        { ...baseRequest, amount: money("100.0") },
        { ...baseRequest, amount: money("99") },
        { ...baseRequest, destination: { address: receiver, memo: null } },
        { ...baseRequest, reference: "other" }
      ]
      for (const body of others) {
        const answer = yield* pay(body, "k")
        assert.deepStrictEqual(codeOf(answer), [422, "idempotency_key_reused"])
        assert.isUndefined(answer.headers["idempotency-replayed"])
      }
      assert.deepStrictEqual(books(), before)
      assert.strictEqual(kept()[0], 1)
    }))

  test("is answered again without asking a node or a price, and though none of them answers", (world) =>
    Effect.gen(function* () {
      const { pay } = yield* startPayoutService()
      const first = yield* pay(baseRequest, "k")
      assert.strictEqual(first.status, 201)
      const asked = world.asked.preflights.length
      assert.isAbove(asked, 0)
      world.usd = {}
      world.preflight = { _tag: "Unpayable", code: "address_invalid", message: "by the chain" }
      const again = yield* pay(baseRequest, "k")
      assert.deepStrictEqual(
        [again.status, again.text, again.headers["idempotency-replayed"]],
        [201, first.text, "true"]
      )
      assert.deepStrictEqual(codeOf(yield* pay(paying("99"), "k")), [422, "idempotency_key_reused"])
      assert.lengthOf(world.asked.preflights, asked)
    }))

  test("is one however many ask for it at once", () =>
    Effect.gen(function* () {
      const { kept, pay, state, tenant } = yield* startPayoutService()
      const answers = yield* Effect.forEach(Array.from({ length: 12 }), () => pay(baseRequest, "k"), {
        concurrency: "unbounded"
      })
      for (const { status, text } of answers) assert.deepStrictEqual([status, text], [201, answers[0]?.text])
      assert.lengthOf(
        answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined),
        1
      )
      const made = [...stored(state, tenant, Operation).values()]
      assert.lengthOf(
        made.filter(({ kind }) => kind === "CHAIN_PAYOUT"),
        1
      )
      assert.strictEqual(kept()[0], 1)
    }))

  test("is nobody else's to see, and nothing else is seen as one", () =>
    Effect.gen(function* () {
      const { get, seeder, pay, state, tenant } = yield* startPayoutService()
      const { body } = yield* pay(baseRequest)
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      const [adjustment] = [...stored(state, tenant, Operation).values()]
      assert.strictEqual(adjustment?.kind, "ADJUSTMENT")
      const answers = [
        yield* get(`${path}/${body.id}`, otherPartner),
        yield* get(`${path}/${adjustment?.id}`),
        yield* get(`${path}/019845e1-682f-7b02-a706-00000000ffff`),
        yield* get(`${path}/none`)
      ]
      for (const { body: seen, status } of answers) {
        assert.strictEqual(status, 404)
        assert.deepStrictEqual(
          { ...seen.error, request_id: "" },
          { code: "not_found", message: "No such resource.", request_id: "", retryable: false }
        )
      }
    }))

  test("needs the scope, the key, and a good signature by it; else nothing at all is written", () =>
    Effect.gen(function* () {
      const { books, get, seeder, kept, key, pair, send: post, tenant } = yield* startPayoutService()
      const { body: made } = yield* (yield* startPayoutService()).pay(baseRequest)
      const reader = yield* seeder.key(tenant, ["chain_payouts:read", "withdrawals:write"])
      const writer = yield* seeder.key(tenant, ["chain_payouts:write", "withdrawals:read"])
      const otherPartner = yield* registerPair(seeder, tenant, reader)
      const raw = JSON.stringify(baseRequest)
      const request = requestOf(raw, "k", { path })
      const good = yield* pair.signer.sign(request)
      const attempt = (
        headers: Readonly<Partial<SignatureHeaders>> & { readonly "idempotency-key"?: string },
        sent: { readonly raw?: string; readonly key?: string } = {}
      ) => post("POST", path, { key, raw, ...sent, headers: { host: authority, "idempotency-key": "k", ...headers } })
      const before = [books(), kept()]
      const tries: ReadonlyArray<readonly [string, Effect.Effect<Answer>]> = [
        ["signature_missing", attempt({})],
        ["signature_malformed", attempt({ ...good, signature: "sig1=:AAAA:" })],
        ["signature_key_unknown", Effect.flatMap(otherPartner.signer.sign(request), (headers) => attempt(headers))],
        [
          "signature_expired",
          Effect.flatMap(withClockOff(-400_000, pair.signer.sign(request)), (headers) => attempt(headers))
        ],
        ["digest_mismatch", attempt(good, { raw: raw.replace("100", "900") })],
        ["signature_invalid", attempt({ ...good, "idempotency-key": "k2" })],
        [
          "signature_invalid",
          Effect.flatMap(pair.signer.sign({ ...request, path: "/v1/deposit-keys" }), (headers) => attempt(headers))
        ]
      ]
      for (const [code, answered] of tries) {
        const answer = yield* answered
        assert.deepStrictEqual(codeOf(answer), [401, code])
        assert.match(String(answer.headers["accept-signature"]), /tag="bursar-v1"$/u)
      }
      const refused = yield* attempt(good, { key: reader })
      assert.deepStrictEqual(codeOf(refused), [403, "scope_missing"])
      assert.deepStrictEqual(refused.body.error.detail, { required_scope: "chain_payouts:write" })
      for (const at of [`${path}/${made.id}`, `${path}/estimate?currency=ETH&amount=1`]) {
        const unread = yield* get(at, writer)
        assert.deepStrictEqual(codeOf(unread), [403, "scope_missing"])
        assert.deepStrictEqual(unread.body.error.detail, { required_scope: "chain_payouts:read" })
      }
      assert.deepStrictEqual([books(), kept()], before)
      assert.strictEqual((yield* attempt(good)).status, 201)
    }))
})

describe("a chain payout", () => {
  test("is made once or not at all where its partner hangs up, and asked for again it is made once", (world) =>
    Effect.gen(function* () {
      const { kept, key, pair, pay, state, tenant } = yield* startPayoutService()
      const { url } = yield* Partner
      const raw = JSON.stringify(baseRequest)
      const signature = yield* pair.signer.sign(requestOf(raw, "k", { path }))
      const [reached, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      world.gate = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(answered))
      const request = nodeRequest(`${url}${path}`, {
        method: "POST",
        headers: {
          host: authority,
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": "k",
          ...signature
        }
      })
      const closed = Effect.callback<void>((resume) => {
        request.on("error", () => {})
        request.on("close", () => resume(Effect.void))
        request.destroy()
      })
      request.end(raw)
      yield* Deferred.await(reached)
      yield* closed
      yield* Deferred.succeed(answered, undefined)
      const again = yield* pay(baseRequest, "k")
      assert.strictEqual(again.status, 201)
      const made = [...stored(state, tenant, Operation).values()]
      assert.deepStrictEqual(
        made.filter(({ kind }) => kind === "CHAIN_PAYOUT").map(({ id }) => id),
        [again.body.id]
      )
      assert.strictEqual(kept()[0], 1)
    }))

  test("is found by its idempotency key, and shown there to who may read it", () =>
    Effect.gen(function* () {
      const { get, seeder, pay, tenant } = yield* startPayoutService()
      const { body } = yield* pay(baseRequest, "k")
      const at = "/v1/operations/by-key/k"
      const found = yield* get(at)
      const { claimed_at, completed_at, ...rest } = found.body
      assert.match(claimed_at, moment)
      assert.match(completed_at, moment)
      const known = { key: "k", endpoint: "POST /v1/chain-payouts", state: "COMPLETED", response_status: 201 }
      assert.deepStrictEqual([found.status, rest], [200, { ...known, operation: body }])
      const writer = yield* seeder.key(tenant, ["chain_payouts:write"])
      assert.deepInclude((yield* get(at, writer)).body, { ...known, operation: null })
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      assert.deepStrictEqual(codeOf(yield* get(at, otherPartner)), [404, "no_operation_for_key"])
    }))

  test("is made where its guard names the tenant, by its id or its slug", () =>
    Effect.gen(function* () {
      const { get, pay, tenant } = yield* startPayoutService()
      const { body: me } = yield* get("/v1/whoami")
      for (const guard of [tenant, me.tenant.slug, null])
        assert.strictEqual((yield* pay({ ...baseRequest, tenant: guard })).status, 201)
    }))

  test("is accepted where the chain cannot be asked, and where nothing limits it without a price", (world) =>
    Effect.gen(function* () {
      world.preflight = "unreachable"
      assert.strictEqual((yield* (yield* startPayoutService()).pay(baseRequest)).status, 201)
      world.usd = {}
      const free = yield* startPayoutService({ policy: unlimited })
      assert.strictEqual((yield* free.pay(baseRequest)).status, 201)
    }))

  test("may be for all there is, and for all that the limits leave, to the cent", () =>
    Effect.gen(function* () {
      const all = yield* startPayoutService()
      assert.strictEqual((yield* all.pay(paying("1000"))).status, 201)
      const limited = yield* startPayoutService({
        policy: { payoutLimitUsd: "100", payoutDailyLimitUsd: "150", payoutNewAddressLimitUsd: "150" }
      })
      for (const amount of ["100", "50"]) assert.strictEqual((yield* limited.pay(paying(amount))).status, 201)
      const { body } = yield* estimateOf(limited, "currency=USDT_ETH&amount=1")
      assert.strictEqual(body.limits.daily_used_usd, "150.00")
    }))

  test("never passes a limit together with others that come at once", () =>
    Effect.gen(function* () {
      const { pay } = yield* startPayoutService({ policy: { payoutDailyLimitUsd: "350" } })
      const answers = yield* Effect.forEach(Array.from({ length: 8 }), () => pay(baseRequest), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ body, status }) => (status === 201 ? "ok" : body.error.code)).toSorted(), [
        ...Array.from({ length: 5 }, () => "daily_limit_exceeded"),
        ...Array.from({ length: 3 }, () => "ok")
      ])
    }))

  test("keeps the memo as it was written, so that the same can be asked for again", (world) =>
    Effect.gen(function* () {
      const { get, pay } = yield* startPayoutService()
      const memos = ["invoice 7", "7", "id:7", `hash:${"ab".repeat(32)}`, `return:${"01".repeat(32)}`, "text:id:7"]
      for (const memo of memos) {
        const { body, status } = yield* pay(withMemo(memo))
        assert.deepStrictEqual([status, body.destination], [201, { address: stellarReceiver, memo }])
        assert.deepStrictEqual((yield* get(`${path}/${body.id}`)).body, body)
      }
      assert.deepStrictEqual(world.asked.preflights.map(({ memo }) => [memo?.type, memo?.value]).slice(0, 3), [
        ["text", "invoice 7"],
        ["text", "7"],
        ["id", "7"]
      ])
    }))
})
