import { purposes } from "@bursar/core/purposes"
import { stored } from "./support/stored.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { Rate } from "@bursar/core/money/Rate"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { recordStatus } from "@bursar/core/transaction/recordStatus"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { ReplayGuard } from "@bursar/core/port/ChainSender"
import { type EarlierSignature, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { createPayout } from "@bursar/core/payout/createPayout"
import { payoutConditions } from "@bursar/core/payout/payoutRule"
import { leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { Operator } from "./support/Operator.ts"
import { type Answer, portsOver } from "./support/Partner.ts"
import { payoutIn } from "./support/payoutIn.ts"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { hashToken } from "../src/keys/operatorTokens.ts"

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const roles = { vera: "viewer", otto: "operator", anna: "approver", ada: "admin" } as const

const operators = Object.entries(roles).map(([name, role]) => ({
  name,
  role,
  tokenHash: hashToken(tokenOf(name)),
  expiresAt: null
}))

const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

const hash = (digit: string) => `0x${digit.repeat(64)}`

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators })))

/** A tenant with a float and a wallet, whose payouts from 100 dollars on are reviewed. */
const setUp = Effect.gen(function* () {
  const { seeder, operate, state } = yield* Operator
  const tenant = yield* seeder.tenant({ policy: { payoutReviewUsd: "100" } })
  const as = (name: string, method: string, path: string, body?: unknown) =>
    operate(method, `/operator/v1/tenants/${tenant}${path}`, {
      key: tokenOf(name),
      ...(body === undefined ? {} : { body })
    })
  yield* seeder.submit(
    tenant,
    adjustFloat({ amount: of(10n ** 9n, "USDT_ETH"), against: "chain:ethereum:payouts", reason: "funded" })
  )
  assert.strictEqual((yield* as("ada", "POST", "/wallets", { network: "ethereum" })).status, 201)
  const [wallet] = [...stored(state, tenant, PayoutWallet).values()]
  const pay = Effect.fnUntraced(function* (dollars: bigint) {
    const observedAt = yield* Clock.currentTimeMillis
    const usd: Rate = { price: { units: 1n, decimals: 0 }, source: "test", observedAt }
    const to = `0x${"ab".repeat(20)}`
    return yield* seeder.submit(
      tenant,
      createPayout({
        order: { network: "ethereum", currency: "USDT_ETH", contract, units: dollars * 1_000_000n, to, memo: null },
        account: to,
        reference: "invoice",
        tenant: null,
        defaultFees: [],
        usd,
        switchedOff: null,
        evidence: { keyid: "k", signatureBase: "b", signature: "s", body: "e30=" },
        madeBy: "maker",
        currencies: defaultCurrencies
      })
    )
  })
  /** Puts a payout into an outbound transaction. */
  const reserve = Effect.fnUntraced(function* (id: string) {
    if (wallet === undefined) return yield* Effect.die(new Error("no wallet"))
    const guard = { _tag: "Next", account: wallet, first: 7n } as const
    const transaction = yield* seeder.submit(
      tenant,
      reservePayouts({ wallet, payouts: [payoutIn(state, tenant, id)], guard }, presetNetworks)
    )
    return transaction ?? (yield* Effect.die(new Error("nothing was reserved")))
  })
  /** Puts a payout into an outbound transaction and signs it. */
  const sign = Effect.fnUntraced(function* (id: string, txHash: string) {
    const transaction = yield* reserve(id)
    const raw = new TextEncoder().encode(txHash)
    const signed = {
      transaction,
      hash: txHash,
      raw,
      validUntil: null,
      feeMax: 1n,
      pays: [id],
      conditions: payoutConditions([leavingOf(payoutIn(state, tenant, id))], presetNetworks.of("ethereum")),
      replaces: null
    }
    yield* seeder.submit(tenant, recordSigned({ ...signed, purposes }))
    return transaction
  })
  return { as, seeder, pay, reserve, sign, state, tenant }
})

/** A signer of which it is known what it has signed: by the base of the request that it was asked about. */
const knowing = (signed: (bases: ReadonlyArray<string>, guard: ReplayGuard) => ReadonlyArray<EarlierSignature>) =>
  Layer.succeed(
    TransactionSigner,
    TransactionSigner.of({
      sign: () => Effect.die(new Error("nothing is signed here")),
      signed: ({ guard, requests }) =>
        Effect.sync(() =>
          signed(
            requests.map(({ signatureBase }) => signatureBase),
            guard
          )
        )
    })
  )

describe("operators", () => {
  for (const shares of ["same", "guard", "requests"] as const) {
    const lost = { hash: hash("9"), raw: new Uint8Array([9]), validUntil: null, feeMax: 5n, shares }
    it.live(`cancel a payout of which the signer alone has a signature (${shares})`, () =>
      Effect.gen(function* () {
        const { as, pay, reserve, state, tenant } = yield* setUp
        const { id } = yield* pay(50n)
        const { id: transactionId } = yield* reserve(id)
        const cancelled = yield* as("otto", "POST", `/payouts/${id}/cancel`)
        const transaction = stored(state, tenant, OutboundTransaction).get(transactionId)
        if (shares === "requests") {
          assert.deepStrictEqual(codeOf(cancelled), [409, "state_conflict"])
          assert.include(cancelled.body.error.message, lost.hash)
          assert.strictEqual(transaction?.phase, "RESERVED")
          return
        }
        const { payout, state: ended } = cancelled.body
        if (shares === "same") {
          // it waits for the chain: what was signed is known, is never sent, and is replaced
          assert.deepStrictEqual([ended, payout.phase, payout.attempts[0].hash], ["trying", "SIGNED", lost.hash])
          assert.deepInclude(transaction, { phase: "SIGNED", hashes: [lost.hash], cancelled: [id], feeMax: 5n })
          assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `/payouts/${id}/bump`)), [200, undefined])
        } else {
          assert.deepStrictEqual([ended, payout.status], ["cancelled", "FAILED"])
          // its number is used up by a transaction that pays nobody
          assert.deepInclude(transaction, { phase: "RESERVED", purpose: "CANCEL", payments: [] })
        }
      }).pipe(
        Effect.provide(
          Operator.layerWith({ operators }, (state) =>
            Layer.merge(
              portsOver(state),
              knowing((bases) => (bases.join() === "b" ? [lost] : []))
            )
          )
        )
      )
    )
  }

  for (const [what, found, refused] of [
    ["under another guard", { shares: "requests" }, true],
    ["under its guard, beside others", { shares: "requests", guardToo: true }, false],
    ["under its guard", { shares: "same" }, false]
  ] as const)
    it.live(
      `a payout that is sent is ${refused ? "not " : ""}cancelled where the signer alone has another ${what}`,
      () => {
        const lost = { hash: hash("9"), raw: new Uint8Array([9]), validUntil: null, feeMax: 5n, ...found }
        return Effect.gen(function* () {
          const { as, pay, sign, state, tenant } = yield* setUp
          const { id } = yield* pay(50n)
          const { id: transactionId } = yield* sign(id, hash("1"))
          const cancelled = yield* as("otto", "POST", `/payouts/${id}/cancel`)
          const transaction = stored(state, tenant, OutboundTransaction).get(transactionId)
          if (refused) {
            assert.deepStrictEqual(codeOf(cancelled), [409, "state_conflict"])
            assert.include(cancelled.body.error.message, lost.hash)
          } else assert.strictEqual(cancelled.body.state, "trying")
          assert.deepStrictEqual(transaction?.cancelled, refused ? [] : [id])
        }).pipe(
          Effect.provide(
            Operator.layerWith({ operators }, (state) =>
              Layer.merge(
                portsOver(state),
                knowing((bases) => (bases.join() === "b" ? [lost] : []))
              )
            )
          )
        )
      }
    )

  for (const [what, dollars, path] of [
    ["cancelled", 50n, (id: string) => `/payouts/${id}/cancel`],
    ["cancelled as an operation", 50n, (id: string) => `/operations/${id}/cancel`],
    ["rejected", 200n, (id: string) => `/payouts/${id}/reject`],
    ["rejected as a review", 200n, (id: string) => `/reviews/${id}/reject`],
    ["cancelled as a review", 200n, (id: string) => `/reviews/${id}/cancel`],
    ["cancelled in review", 200n, (id: string) => `/payouts/${id}/cancel`]
  ] as const)
    it.live(`are told what the signer has signed for a payout in no transaction before it is ${what}`, () => {
      const lost = {
        hash: hash("9"),
        raw: new Uint8Array([9]),
        validUntil: null,
        feeMax: 5n,
        shares: "requests"
      } as const
      return Effect.gen(function* () {
        const { as, pay, state, tenant } = yield* setUp
        const { id } = yield* pay(dollars)
        const body = what.startsWith("rejected") ? { reason: "on a list" } : undefined
        const first = yield* as("anna", "POST", path(id), body)
        assert.deepStrictEqual(codeOf(first), [409, "state_conflict"])
        assert.include(first.body.error.message, lost.hash)
        const { waits } = payoutIn(state, tenant, id)
        assert.strictEqual(waits?.reason, "signed_before")
        assert.include(waits?.detail, lost.hash)
        assert.strictEqual(stored(state, tenant, Operation).get(id)?.status, "IN_REVIEW")
        assert.isFalse([...state.jobs.values()].some(({ key }) => key === id))
        // who says it again has looked
        assert.strictEqual((yield* as("anna", "POST", path(id), body)).status, 200)
        assert.strictEqual(stored(state, tenant, Operation).get(id)?.status, "FAILED")
      }).pipe(
        Effect.provide(
          Operator.layerWith({ operators }, (state) =>
            Layer.merge(
              portsOver(state),
              knowing((bases) => (bases.join() === "b" ? [lost] : []))
            )
          )
        )
      )
    })

  const signatureOf = (of: string) =>
    ({ hash: hash(of), raw: new Uint8Array([1]), validUntil: null, feeMax: 5n, shares: "requests" }) as const

  it.live(
    "are told of each signature before a payout in no transaction is cancelled, also of those that come later",
    () => {
      const [one, two, three] = [signatureOf("1"), signatureOf("2"), signatureOf("3")]
      let all = [one, two]
      return Effect.gen(function* () {
        const { as, pay, state, tenant } = yield* setUp
        const { id } = yield* pay(50n)
        const cancel = as("anna", "POST", `/payouts/${id}/cancel`)
        const first = yield* cancel
        assert.deepStrictEqual(codeOf(first), [409, "state_conflict"])
        for (const { hash: told } of all) {
          assert.include(first.body.error.message, told)
          assert.include(payoutIn(state, tenant, id).waits?.detail, told)
        }
        all = [one, two, three]
        const second = yield* cancel
        assert.deepStrictEqual(codeOf(second), [409, "state_conflict"])
        assert.include(second.body.error.message, three.hash)
        assert.include(payoutIn(state, tenant, id).waits?.detail, three.hash)
        all = [two, three]
        assert.strictEqual((yield* cancel).status, 200)
        assert.strictEqual(stored(state, tenant, Operation).get(id)?.status, "FAILED")
      }).pipe(
        Effect.provide(
          Operator.layerWith({ operators }, (state) =>
            Layer.merge(
              portsOver(state),
              knowing(() => all)
            )
          )
        )
      )
    }
  )

  it.live("cancel a payout of a batch of which the signer has signed for another one alone", () => {
    const lost = signatureOf("7")
    let isAlone = false
    return Effect.gen(function* () {
      const { as, pay, reserve, state, tenant } = yield* setUp
      const { id } = yield* pay(50n)
      yield* reserve(id)
      const cancel = as("otto", "POST", `/payouts/${id}/cancel`)
      assert.deepStrictEqual(codeOf(yield* cancel), [409, "state_conflict"])
      isAlone = true
      assert.strictEqual((yield* cancel).status, 200)
      assert.strictEqual(stored(state, tenant, Operation).get(id)?.status, "FAILED")
    }).pipe(
      Effect.provide(
        Operator.layerWith({ operators }, (state) =>
          Layer.merge(
            portsOver(state),
            // what answers to the request of the payout alone is asked about with no guard
            knowing((_, { _tag }) => (isAlone && _tag === "Expiry" ? [] : [lost]))
          )
        )
      )
    )
  })

  for (const path of ["operations", "payouts"])
    test(
      `a payout that the signer was asked for and has not signed is cancelled once that cannot come any more (${path})`,
      Effect.gen(function* () {
        const { as, pay, reserve, seeder, state, tenant } = yield* setUp
        const { id } = yield* pay(50n)
        const { id: transactionId } = yield* reserve(id)
        const asked = (signingUntil: number) =>
          seeder.submit(tenant, {
            name: "Ask",
            reads: [readRecord(OutboundTransaction, transactionId)],
            decide: (view) => {
              const transaction = view.get(OutboundTransaction, transactionId)
              return Result.succeed({
                changes:
                  transaction === undefined ? [] : [putRecord(OutboundTransaction, { ...transaction, signingUntil })],
                reply: null
              })
            }
          })
        const now = yield* Clock.currentTimeMillis
        yield* asked(now)
        assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `/${path}/${id}/cancel`)), [409, "state_conflict"])
        yield* asked(now - 600_000)
        assert.strictEqual((yield* as("otto", "POST", `/${path}/${id}/cancel`)).status, 200)
        assert.strictEqual(stored(state, tenant, Operation).get(id)?.status, "FAILED")
      })
    )

  test(
    "a payout shows the request that its partner signed, and what the tenant's endpoints answered of it",
    Effect.gen(function* () {
      const { as, pay, state, tenant } = yield* setUp
      const url = "https://partner.example/hooks"
      const endpoint = (yield* as("ada", "POST", "/webhooks", { url })).body.id
      const { id } = yield* pay(1n)
      const other = yield* pay(2n)
      for (const one of [id, other.id])
        assert.strictEqual((yield* as("otto", "POST", `/operations/${one}/cancel`)).status, 200)
      const eventOf = (operation: string) =>
        state.tenants.get(tenant)?.events.find((event) => event.resourceId === operation)?.id ??
        assert.fail("there is no event")
      const tried = (eventId: number, status: number | null) => ({
        endpointId: endpoint,
        eventId,
        attempt: 1,
        at: Date.parse("2026-01-01T00:00:00Z") + eventId,
        status,
        problem: status === null ? "nobody listens" : null,
        durationMs: 12,
        responseStart: "<script>"
      })
      const progress = state.tenants.get(tenant)?.deliveries.get(endpoint)
      progress?.attempts.push(tried(eventOf(id), null), tried(eventOf(other.id), 200), tried(eventOf(id), 201))
      const { body } = yield* as("vera", "GET", `/operations/${id}`)
      assert.deepStrictEqual(body.signed_request, { keyid: "k", signature_base: "b", signature: "s", body: "{}" })
      assert.deepStrictEqual(
        body.deliveries.map(
          ({ delivered, event_id, problem, response, status, url: to, webhook_id }: Record<string, unknown>) => [
            webhook_id,
            to,
            event_id,
            status,
            delivered,
            problem,
            response
          ]
        ),
        [
          [endpoint, url, eventOf(id), 201, true, null, "<script>"],
          [endpoint, url, eventOf(id), null, false, "nobody listens", null]
        ]
      )
      // requests for money of people name them
      const operations = stored(state, tenant, Operation)
      const operation = operations.get(id)
      if (operation === undefined) return assert.fail("the payout is not stored")
      const ofPeople: ReadonlyArray<Operation["kind"]> = [
        "BANK_TRANSFER",
        "OFF_RAMP",
        "ON_RAMP",
        "REFUND",
        "INTERNAL_TRANSFER"
      ]
      for (const kind of ofPeople) {
        operations.set(id, { ...operation, kind })
        const { signed_request } = (yield* as("vera", "GET", `/operations/${id}`)).body
        assert.deepStrictEqual(signed_request, { keyid: "k", signature_base: "b", signature: "s", body: null })
      }
    })
  )

  test(
    "the key of a wallet is made where it is asked for, once, and nowhere else",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const tenant = yield* seeder.tenant()
      const wallets = `/operator/v1/tenants/${tenant}/wallets`
      const create = (body: unknown) => operate("POST", wallets, { key: tokenOf("ada"), body })
      const unknown = yield* create({ network: "ethereum", custody: "nowhere" })
      assert.strictEqual(unknown.status, 409)
      assert.include(JSON.stringify(unknown.body), "There is no key custody nowhere.")
      assert.strictEqual((yield* create({ network: "ethereum", custody: "NO NAME" })).status, 422)
      assert.lengthOf([...stored(state, tenant, PayoutWallet).values()], 0)
      const made = yield* create({ network: "ethereum", custody: "sealed" })
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, { custody: "sealed" })
      const again = yield* create({ network: "ethereum", custody: "sealed" })
      assert.deepInclude(again.body, { id: (made.body as { readonly id: string }).id })
      assert.strictEqual((yield* create({ network: "ethereum" })).status, 409)
      const [wallet, other] = [...stored(state, tenant, PayoutWallet).values()]
      assert.strictEqual(wallet?.seedId, null)
      assert.strictEqual(wallet?.custodied?.custody, "sealed")
      assert.isUndefined(other)
    })
  )

  test(
    "a wallet is added beside another where that is asked for, with a key of its own",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const tenant = yield* seeder.tenant()
      const create = (body: unknown) =>
        operate("POST", `/operator/v1/tenants/${tenant}/wallets`, { key: tokenOf("ada"), body })
      const made = yield* Effect.forEach([{}, { another: true }, { another: true, custody: "sealed" }], (more) =>
        Effect.map(create({ network: "ethereum", ...more }), ({ body, status }) => {
          assert.strictEqual(status, 201)
          return (body as { readonly address: string }).address
        })
      )
      assert.lengthOf([...new Set(made)], 3)
      const again = yield* create({ network: "ethereum" })
      assert.deepInclude(again.body, { address: made[0] }, "without asking for another, it is the one that is there")
      const stored3 = [...stored(state, tenant, PayoutWallet).values()].map(({ address, index }) => [index, address])
      assert.sameDeepMembers(stored3, [...made.entries()])
      assert.strictEqual((yield* create({ network: "ethereum", another: "yes" })).status, 422)
    })
  )

  test(
    "review payouts from the threshold on; only approvers do, and never who asked for one",
    Effect.gen(function* () {
      const { as, pay } = yield* setUp
      const [first, second] = [yield* pay(150n), yield* pay(200n)]
      yield* pay(50n)
      const queue = yield* as("vera", "GET", "/payouts?status=IN_REVIEW")
      assert.sameMembers(
        queue.body.payouts.map(({ id }: { readonly id: string }) => id),
        [first.id, second.id]
      )
      assert.deepInclude(queue.body.payouts[0], { review: "PENDING", made_by: "maker", evidence: [] })
      const approve = (name: string) => as(name, "POST", `/payouts/${first.id}/approve`)
      for (const name of ["vera", "otto"]) assert.deepStrictEqual(codeOf(yield* approve(name)), [403, "scope_missing"])
      const approved = yield* approve("anna")
      assert.deepInclude(approved.body, { status: "ACCEPTED", review: "APPROVED", reviewed_by: "anna" })
      assert.deepStrictEqual(codeOf(yield* approve("ada")), [409, "state_conflict"])
      const rejected = yield* as("anna", "POST", `/payouts/${second.id}/reject`, { reason: "on a list" })
      assert.deepInclude(rejected.body, { status: "FAILED", failure_reason: "review_rejected" })
    })
  )

  test(
    "ask of a payout that nothing was signed for, of one that was, and of one that is over",
    Effect.gen(function* () {
      const { as, seeder, pay, sign, state, tenant } = yield* setUp
      const { id } = yield* pay(50n)
      const ask = (what: string, body?: unknown) => as("otto", "POST", `/payouts/${id}/${what}`, body)
      assert.deepStrictEqual(codeOf(yield* ask("bump")), [409, "state_conflict"])
      assert.deepInclude((yield* ask("rebroadcast")).body, { phase: "HELD", asked: null })
      const early = yield* ask("evidence", { note: "seen", tx_hash: hash("a") })
      assert.deepStrictEqual(codeOf(early), [409, "state_conflict"])

      const transaction = yield* sign(id, hash("1"))
      const dueAt = () => [...state.jobs.values()].find(({ key }) => key === transaction.id)?.dueAt ?? Number.NaN
      assert.deepInclude((yield* ask("rebroadcast")).body, { phase: "SIGNED", asked: "REBROADCAST" })
      const bumped = yield* ask("bump")
      assert.deepInclude(bumped.body, { asked: "BUMP" })
      assert.deepStrictEqual(
        bumped.body.attempts.map((one: { readonly hash: string }) => one.hash),
        [hash("1")]
      )
      assert.isAtMost(dueAt(), yield* Clock.currentTimeMillis)
      assert.deepStrictEqual(codeOf(yield* as("vera", "POST", `/payouts/${id}/bump`)), [403, "scope_missing"])
      const cancelled = yield* ask("cancel")
      assert.deepInclude(cancelled.body, { state: "trying" })
      assert.strictEqual(cancelled.body.payout.cancelled_by, "otto")

      const nextAt = yield* Clock.currentTimeMillis
      const status = { _tag: "Invalidated", reason: "replaced_on_chain", by: null, detail: "" } as const
      const currencies = defaultCurrencies
      yield* seeder.submit(
        tenant,
        recordStatus({ transaction, asked: [hash("1")], status, nextAt, unresolvedAfterMs: 0, currencies, purposes })
      )
      assert.deepInclude((yield* as("vera", "GET", `/payouts/${id}`)).body, {
        status: "FAILED",
        failure_reason: "cancelled_by_operator",
        asked: null
      })
      for (const what of ["bump", "rebroadcast", "cancel"])
        assert.deepStrictEqual(codeOf(yield* ask(what)), [409, "state_conflict"], what)
      assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `/payouts/${crypto.randomUUID()}/bump`)), [
        404,
        "not_found"
      ])
    })
  )

  test(
    "see all that was ever signed for a payout, in order, and how each outbound transaction ended",
    Effect.gen(function* () {
      const { as, seeder, pay, sign, state, tenant } = yield* setUp
      const { id } = yield* pay(50n)
      const expire = Effect.fnUntraced(function* (transaction: OutboundTransaction, asked: ReadonlyArray<string>) {
        const nextAt = yield* Clock.currentTimeMillis
        const status = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" } as const
        yield* seeder.submit(
          tenant,
          recordStatus({
            transaction,
            asked,
            status,
            nextAt,
            unresolvedAfterMs: 0,
            currencies: defaultCurrencies,
            purposes
          })
        )
      })
      const seen = Effect.gen(function* () {
        const { body } = yield* as("vera", "GET", `/payouts/${id}`)
        const told: ReadonlyArray<Record<string, unknown>> = body.attempts
        return told.map((one) => [one["hash"], one["transaction_id"], one["transaction_outcome"], one["replaces"]])
      })
      assert.deepStrictEqual(yield* seen, [])
      const first = yield* sign(id, hash("1"))
      assert.deepStrictEqual(yield* seen, [[hash("1"), first.id, null, null]])
      yield* seeder.submit(
        tenant,
        // the hash sorts before the one that it replaces: the order is that in which they were signed
        recordSigned({
          transaction: { ...first, hashes: [hash("1")], phase: "SIGNED" },
          hash: hash("0"),
          raw: new Uint8Array(),
          validUntil: null,
          feeMax: 2n,
          pays: [id],
          conditions: payoutConditions([leavingOf(payoutIn(state, tenant, id))], presetNetworks.of("ethereum")),
          replaces: hash("1"),
          purposes
        })
      )
      yield* expire(first, [hash("1"), hash("0")])
      const expired = [
        [hash("1"), first.id, "expired", null],
        [hash("0"), first.id, "expired", hash("1")]
      ]
      // in no outbound transaction now
      assert.deepStrictEqual(yield* seen, expired)
      const second = yield* sign(id, hash("2"))
      assert.deepStrictEqual(yield* seen, [...expired, [hash("2"), second.id, null, null]])
      yield* expire(second, [hash("2")])
      const third = yield* sign(id, hash("3"))
      const status = {
        _tag: "Final",
        hash: hash("3"),
        blockNumber: 1,
        blockTime: 0,
        fee: 1n,
        effect: "done"
      } as const
      const nextAt = yield* Clock.currentTimeMillis
      yield* seeder.submit(
        tenant,
        recordStatus({
          transaction: third,
          asked: [hash("3")],
          status,
          nextAt,
          unresolvedAfterMs: 0,
          currencies: defaultCurrencies,
          purposes
        })
      )
      assert.deepStrictEqual(yield* seen, [
        ...expired,
        [hash("2"), second.id, "expired", null],
        [hash("3"), third.id, "done", null]
      ])
    })
  )

  test(
    "tell what they know of a payout, under their names and with a hash in the network's own form",
    Effect.gen(function* () {
      const { as, pay, sign } = yield* setUp
      const [one, other] = [yield* pay(50n), yield* pay(60n)]
      yield* sign(one.id, hash("1"))
      const tell = (id: string, body: object) => as("otto", "POST", `/payouts/${id}/evidence`, body)
      assert.deepStrictEqual(codeOf(yield* tell(one.id, { note: "x", tx_hash: "0x12" })), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* tell(one.id, { tx_hash: hash("a") })), [422, "invalid_request"])
      yield* tell(one.id, { note: "the receiver called" })
      yield* tell(one.id, { note: "in the explorer", tx_hash: "AB".repeat(32) })
      const told = yield* tell(one.id, { note: "once more", tx_hash: `0x${"ab".repeat(32)}` })
      assert.deepStrictEqual(
        told.body.evidence.map((each: Record<string, unknown>) => [each["tx_hash"], each["note"], each["given_by"]]),
        [
          [null, "the receiver called", "otto"],
          [`0x${"ab".repeat(32)}`, "in the explorer", "otto"]
        ]
      )
      assert.deepInclude(told.body, { status: "PROCESSING", unresolved: false })
      yield* sign(other.id, hash("2"))
      const taken = yield* tell(other.id, { note: "y", tx_hash: "ab".repeat(32) })
      assert.deepStrictEqual(codeOf(taken), [409, "state_conflict"])
      const own = yield* tell(other.id, { note: "y", tx_hash: hash("1") })
      assert.deepStrictEqual(codeOf(own), [409, "state_conflict"])
    })
  )

  test(
    "find what is unresolved however much came after it",
    Effect.gen(function* () {
      const { as, pay, state, tenant } = yield* setUp
      const { id } = yield* pay(1n)
      const operations = stored(state, tenant, Operation)
      const operation = operations.get(id)
      if (operation !== undefined) operations.set(id, { ...operation, unresolved: true })
      for (let count = 0; count < 3; count++) yield* pay(2n)
      const found = yield* as("vera", "GET", "/payouts?unresolved=true&limit=1")
      assert.deepStrictEqual(
        found.body.payouts.map((one: { readonly id: string }) => one.id),
        [id]
      )
      assert.lengthOf((yield* as("vera", "GET", "/payouts?unresolved=false")).body.payouts, 3)
    })
  )
})
