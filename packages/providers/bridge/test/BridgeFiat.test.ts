import type { Payee, TransferOrder } from "@bursar/core/port/FiatProvider"
import { inZone } from "@bursar/testkit/fixtures/inZone"
import { payee as anaSilva, secrets, somebody } from "@bursar/testkit/fixtures/people"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Logger, Redacted } from "effect"
import { defaultTimeoutMs } from "../src/BridgeOptions.ts"
import { apiKey, type FakeBridge, ownCustomerId } from "./support/FakeBridge.ts"
import { makeWorld } from "./support/world.ts"

const order = (changes: Partial<TransferOrder> = {}): TransferOrder => ({
  reference: crypto.randomUUID(),
  madeAt: Date.now(),
  sentAt: Date.now(),
  kind: "BANK_TRANSFER",
  amount: { units: 10_000_000_000_000_001n, currency: "EUR" },
  toCurrency: null,
  providerCustomerId: null,
  payee: anaSilva,
  rail: "SEPA",
  ...changes
})

/** A clock that is ahead of the true one by so much. A pause between two tries passes at once, a limit for an answer does not. */
const movedClock = Effect.map(Clock.Clock, (live) => {
  const moved = {
    laterMs: 0,
    by: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Clock.Clock, clock)
  }
  const now = () => Date.now() + moved.laterMs
  const clock: Clock.Clock = Object.create(live, {
    currentTimeMillisUnsafe: { value: now },
    currentTimeMillis: { value: Effect.sync(now) },
    sleep: {
      value: (duration: Duration.Duration) =>
        Duration.toMillis(duration) < defaultTimeoutMs
          ? Effect.sync(() => {
              moved.laterMs += Duration.toMillis(duration)
            })
          : live.sleep(duration)
    }
  })
  return moved
})

/** Transfers of others that were made at a moment. */
const others = (bridge: FakeBridge, count: number, at: number) =>
  Array.from({ length: count }, () => ({
    id: bridge.id("transfer"),
    state: "funds_received",
    client_reference_id: crypto.randomUUID(),
    created_at: new Date(at).toISOString()
  }))

/** A date as Bridge writes it, but for its zone. */
const withoutZone = (at: number): string => new Date(at).toISOString().replace("Z", "")

const british: Payee = { ...anaSilva, country: "GB", iban: null, sortCode: "040004", accountNumber: "12345678" }
const american: Payee = {
  ...anaSilva,
  name: "Acme Inc.",
  holderType: "BUSINESS",
  country: "US",
  iban: null,
  routingNumber: "021000021",
  accountNumber: "123456789"
}

describe("Bridge", () => {
  it.live("a transfer carries our id as its key and reference, and its amount exactly", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order()
      assert.strictEqual((yield* provider.send(sent))._tag, "Done")
      const request = bridge.received.at(-1)
      assert.strictEqual(request?.headers["idempotency-key"], sent.reference)
      assert.deepInclude(bridge.transfers[0], {
        client_reference_id: sent.reference,
        amount: "100000000000000.01",
        on_behalf_of: ownCustomerId,
        source: { payment_rail: "bridge_wallet", currency: "eurc", bridge_wallet_id: "wallet_eur" }
      })
    })
  )

  it.live("each kind of bank account is registered as Bridge wants it", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const gbp = order({ payee: british, rail: "FPS", amount: { units: 500n, currency: "GBP" } })
      const usd = order({ payee: american, rail: null, amount: { units: 500n, currency: "USD" } })
      for (const one of [order(), gbp, usd]) assert.strictEqual((yield* provider.send(one))._tag, "Done")
      const [iban, gb, us] = bridge.externalAccounts
      assert.deepInclude(iban, { first_name: "Ana", last_name: "Silva", account_type: "iban" })
      assert.deepStrictEqual(iban?.["iban"], { account_number: anaSilva.iban, country: "PRT" })
      assert.deepStrictEqual(gb?.["account"], { account_number: "12345678", sort_code: "040004" })
      assert.deepInclude(us, { business_name: "Acme Inc.", account_type: "us" })
      assert.deepStrictEqual(
        bridge.transfers.map(({ destination }) => (destination as Record<string, unknown>)["payment_rail"]),
        ["sepa", "faster_payments", "ach"]
      )
    })
  )

  it.live("a bank account that Bridge has already is used again", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      yield* provider.send(order())
      const id = bridge.externalAccounts[0]?.["id"]
      bridge.nextReplies.push({ status: 400, json: { code: "duplicate_external_account", id } })
      assert.strictEqual((yield* provider.send(order()))._tag, "Done")
      assert.lengthOf(bridge.externalAccounts, 1)
      assert.lengthOf(bridge.transfers, 2)
    })
  )

  it.live("what Bridge cannot do for us is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const impossible = [
        order({ amount: { units: 1n, currency: "BTC" } }),
        order({ amount: { units: 1n, currency: "XAU" } }),
        order({ rail: "PIGEON" }),
        order({ rail: "constructor" }),
        order({ payee: null }),
        order({ payee: { ...anaSilva, iban: null } })
      ]
      for (const one of impossible) assert.strictEqual((yield* provider.send(one))._tag, "Refused")
      assert.lengthOf(bridge.received, 0)
    })
  )

  it.live("only Bridge's own word is a refusal", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const problem = { code: "invalid_parameters", message: "no", source: { key: { amount: "too small" } } }
      const replies = [
        { status: 400, json: problem, answer: "Refused" },
        { status: 422, json: problem, answer: "Refused" },
        { status: 400, json: "<html>", answer: "Unknown" },
        { status: 401, json: problem, answer: "Unknown" },
        { status: 403, json: problem, answer: "Unknown" },
        { status: 409, json: problem, answer: "Unknown" },
        { status: 429, json: problem, answer: "Unknown" },
        { status: 500, json: problem, answer: "Unknown" },
        { status: 302, json: {}, headers: { location: "/v0/transfers" }, answer: "Unknown" },
        { status: 201, json: { id: "transfer_1" }, answer: "Unknown" },
        { status: 422, json: { code: "invalid_request", message: "Idempotency-Key is used" }, answer: "Unknown" }
      ]
      for (const { answer, ...reply } of replies) {
        bridge.nextReplies.push({ status: 201, json: { id: "bank" } }, reply)
        const said = yield* provider.send(order())
        assert.strictEqual(said._tag, answer, JSON.stringify(reply))
        assert.notInclude(JSON.stringify(said), apiKey)
        if (said._tag === "Refused") assert.include(said.reason, "invalid_parameters (amount)")
      }
    })
  )

  it.live("an order that comes late is looked for before it is sent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const late = order({ madeAt: Date.now() - 10 * 60_000, sentAt: Date.now() - 10 * 60_000 })
      const first = yield* provider.send(late)
      assert.isTrue(bridge.received.some(({ method, target }) => method === "GET" && target.includes("/transfers")))
      bridge.forgotten.add(late.reference)
      assert.deepStrictEqual(yield* provider.send(late), first)
      assert.lengthOf(bridge.transfers, 1)
    })
  )

  it.live("an order that a restored database takes for unsent is found where Bridge has forgotten its key", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const daysAgo = Date.now() - 3 * 24 * 60 * 60_000
      const sent = order({ madeAt: daysAgo, sentAt: daysAgo + 60 * 60_000 })
      bridge.transfers.push({
        id: bridge.id("transfer"),
        state: "payment_processed",
        client_reference_id: sent.reference,
        created_at: new Date(sent.sentAt).toISOString()
      })
      const again = yield* provider.send({ ...sent, sentAt: Date.now() })
      assert.strictEqual(again._tag, "Done")
      assert.lengthOf(bridge.of(sent.reference), 1, "it was sent twice")
      assert.isFalse(bridge.received.some(({ method }) => method === "POST"))
    })
  )

  it.live("an order that became too old while it was looked for, or its bank account registered, is not sent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      const threeDays = 3 * 24 * 60 * 60_000
      for (const [slow, madeAt] of [
        ["/v0/transfers", Date.now() - threeDays],
        ["/v0/customers", Date.now() - threeDays],
        ["/v0/customers", Date.now()]
      ] as const) {
        clock.laterMs = 0
        bridge.meanwhile = ({ url }) => {
          if (url.pathname.startsWith(slow)) clock.laterMs = 16 * 60_000
        }
        const sent = order({ madeAt })
        const answer = yield* clock.by(provider.send(sent))
        assert.deepInclude(answer, { _tag: "Refused", reason: "the order is too old to be sent" })
        assert.lengthOf(bridge.of(sent.reference), 0, `it was sent after ${slow} took long`)
      }
    })
  )

  it.live(
    "an order that is too old to be sent is looked for before it is refused, however young its operation is",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld({ inFlightMs: 40_000 })
        const sent = order({ madeAt: Date.now() - 20_000, sentAt: Date.now() - 20_000 })
        bridge.transfers.push({
          id: bridge.id("transfer"),
          state: "payment_processed",
          client_reference_id: sent.reference,
          created_at: new Date(sent.sentAt).toISOString()
        })
        assert.strictEqual((yield* provider.send(sent))._tag, "Done")
        assert.lengthOf(bridge.of(sent.reference), 1)
      })
  )

  it.live("an order that waited for days is sent, however many others were made since and though a page fails", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const day = 24 * 60 * 60_000
      bridge.transfers.push(...others(bridge, 1, Date.now() - 4 * day), ...others(bridge, 10_500, Date.now() - day))
      bridge.nextReplies.push({ status: 429, json: {} })
      const waited = order({ madeAt: Date.now() - 3 * day })
      assert.strictEqual((yield* provider.send(waited))._tag, "Done")
      assert.lengthOf(bridge.of(waited.reference), 1)
      const asked = bridge.received.length
      const absent = { ...order(), madeAt: waited.madeAt }
      bridge.transfers.push(...others(bridge, 100, Date.now() - day))
      assert.strictEqual((yield* provider.transfer(absent, null))._tag, "Unknown")
      assert.strictEqual(bridge.received.length, asked + 1, "while it may be under way, it is in no older transfer")
    })
  )

  it.live("an order counts as never taken once it is not found back to when its operation was made", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const hour = 60 * 60_000
      const before = order({ madeAt: Date.now() - 9 * hour, sentAt: Date.now() - 2 * hour })
      // sent before the database was restored, which then had it sent again
      const sent = { ...others(bridge, 1, Date.now() - 8 * hour)[0], client_reference_id: before.reference }
      bridge.transfers.push(...others(bridge, 1, Date.now() - 10 * hour), sent, ...others(bridge, 250, Date.now()))
      assert.strictEqual((yield* provider.transfer(before, null))._tag, "Done")
      const never = { ...before, reference: crypto.randomUUID() }
      assert.strictEqual((yield* provider.transfer(never, null))._tag, "Refused")
    })
  )

  it.live("a search before sending ends when it is too late to send, and says nothing of the order", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      bridge.transfers.push(...others(bridge, 500, Date.now()))
      bridge.meanwhile = () => {
        clock.laterMs = 16 * 60_000
      }
      const waited = order({ madeAt: Date.now() - 60 * 60_000 })
      assert.strictEqual((yield* clock.by(provider.send(waited)))._tag, "Unknown")
      assert.lengthOf(bridge.received, 1)
    })
  )

  it.live("a rate limit that lasts for minutes does not use up the only sending, and one that never ends does", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      const waited = () => order({ madeAt: Date.now() - 60 * 60_000 })
      bridge.nextReplies.push(...Array.from({ length: 20 }, () => ({ status: 429, json: {} })))
      assert.strictEqual((yield* clock.by(provider.send(waited())))._tag, "Done")
      clock.laterMs = 0
      bridge.meanwhile = () => bridge.nextReplies.push({ status: 429, json: {} })
      assert.deepInclude(yield* clock.by(provider.send(waited())), { _tag: "Unknown" })
      assert.isAtLeast(clock.laterMs, 15 * 60_000, "it gave up before it was too late to send")
    })
  )

  it.live("a search that Bridge refuses says nothing of the order", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      const refusal = { status: 400, json: { code: "invalid_parameters", message: "starting_after" } }
      bridge.meanwhile = () => bridge.nextReplies.push(refusal)
      const hourAgo = Date.now() - 60 * 60_000
      for (const sentAt of [Date.now(), hourAgo]) {
        clock.laterMs = 0
        assert.strictEqual((yield* clock.by(provider.send(order({ madeAt: hourAgo, sentAt }))))._tag, "Unknown")
      }
    })
  )

  it.live(
    "orders that wait together are looked for together, before they are sent and before they count as absent",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld()
        const hour = 60 * 60_000
        bridge.transfers.push(
          ...others(bridge, 1, Date.now() - 9 * hour),
          ...others(bridge, 250, Date.now() - 2 * hour)
        )
        const waited = Array.from({ length: 16 }, (_, index) => order({ madeAt: Date.now() - 3 * hour - index }))
        // sent before the database was restored, which knows nothing of it
        const before = waited.slice(0, 4)
        for (const { reference } of before)
          bridge.transfers.push({ ...others(bridge, 1, Date.now() - hour)[0], client_reference_id: reference })
        const pages = () =>
          bridge.received.filter(({ method, url }) => method === "GET" && url.pathname === "/v0/transfers")
        const answers = yield* Effect.forEach(waited, provider.send, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(answers.map(({ _tag }) => _tag)), new Set(["Done"]))
        for (const { reference } of waited) assert.lengthOf(bridge.of(reference), 1)
        const sending = pages().length
        assert.isAtMost(sending, 16, "each looked through all by itself")
        const absent = waited.map(({ madeAt }) => order({ madeAt, sentAt: madeAt }))
        const later = yield* Effect.forEach(absent, (one) => provider.transfer(one, null), { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(later.map(({ _tag }) => _tag)), new Set(["Refused"]))
        assert.isAtMost(pages().length - sending, 16, "each looked through all by itself")
      })
  )

  it.live("an order that waited for weeks does not keep those that waited for minutes from being sent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      const hour = 60 * 60_000
      bridge.transfers.push(...others(bridge, 5_000, Date.now() - 24 * hour), ...others(bridge, 100, Date.now() - hour))
      const begun = yield* Deferred.make<void>()
      // the old one would look for as long as any of them may be sent
      bridge.meanwhile = ({ method }) => {
        if (method !== "GET") return
        clock.laterMs += 30_000
        Deferred.doneUnsafe(begun, Exit.void)
      }
      const old = order({ madeAt: Date.now() - 40 * 24 * hour })
      const waited = Array.from({ length: 8 }, (_, index) => order({ madeAt: Date.now() - 5 * 60_000 - index }))
      const looking = yield* Effect.forkChild(clock.by(provider.send(old)))
      yield* Deferred.await(begun)
      const answers = yield* Effect.forEach(waited, (each) => clock.by(provider.send(each)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(new Set(answers.map(({ _tag }) => _tag)), new Set(["Done"]))
      for (const { reference } of waited) assert.lengthOf(bridge.of(reference), 1)
      assert.strictEqual((yield* Fiber.join(looking))._tag, "Unknown")
    })
  )

  it.live("an order that waited for weeks does not keep others from counting as absent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const hour = 60 * 60_000
      const pages = 30
      bridge.transfers.push(
        ...others(bridge, pages * 100, Date.now() - 24 * hour),
        ...others(bridge, 100, Date.now() - 2 * hour)
      )
      const begun = yield* Deferred.make<void>()
      bridge.meanwhile = () => Deferred.doneUnsafe(begun, Exit.void)
      const late = (madeAt: number) => order({ madeAt, sentAt: Date.now() - 2 * hour })
      const looking = yield* Effect.forkChild(provider.transfer(late(Date.now() - 40 * 24 * hour), null))
      yield* Deferred.await(begun)
      assert.strictEqual((yield* provider.transfer(late(Date.now() - 3 * hour), null))._tag, "Refused")
      assert.isBelow(bridge.received.length, pages, "it waited until the other was found")
      assert.strictEqual((yield* Fiber.join(looking))._tag, "Refused")
    })
  )

  it.live(
    "an order whose transfer is listed but cannot be read by its id is found, and keeps no other from being sent",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld()
        const clock = yield* movedClock
        const hour = 60 * 60_000
        bridge.transfers.push(...others(bridge, 6_000, Date.now() - 24 * hour))
        const taken = order({ madeAt: Date.now() - 3 * 60_000 })
        bridge.transfers.push({
          ...others(bridge, 1, Date.now() - 2 * 60_000)[0],
          id: "hidden",
          client_reference_id: taken.reference
        })
        const unreadable = { status: 404, json: { code: "not_found", message: "no such transfer" } }
        bridge.meanwhile = ({ url }) => {
          if (url.pathname.endsWith("/hidden")) bridge.nextReplies.push(unreadable)
        }
        const waited = order({ madeAt: Date.now() - 20 * 24 * hour })
        const answers = yield* Effect.forEach([taken, waited], (each) => clock.by(provider.send(each)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          answers.map(({ _tag }) => _tag),
          ["Done", "Done"]
        )
        for (const { reference } of [taken, waited]) assert.lengthOf(bridge.of(reference), 1)
      })
  )

  it.live("a search that ends early leaves another for the same order what it looks for", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const hour = 60 * 60_000
      const late = order({ madeAt: Date.now() - 3 * 24 * hour, sentAt: Date.now() - 2 * hour })
      bridge.transfers.push({ ...others(bridge, 1, Date.now() - 60 * hour)[0], client_reference_id: late.reference })
      bridge.transfers.push(...others(bridge, 200, Date.now() - hour))
      const begun = yield* Deferred.make<void>()
      bridge.meanwhile = () => Deferred.doneUnsafe(begun, Exit.void)
      const search = Effect.forkChild(provider.transfer(late, null), { startImmediately: true })
      const [ends, stays] = [yield* search, yield* search]
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(ends)
      assert.strictEqual((yield* Fiber.join(stays))._tag, "Done")
    })
  )

  it.live("what an earlier search has seen does not count for an order that comes after it began", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const hour = 60 * 60_000
      bridge.transfers.push(...others(bridge, 1, Date.now() - 9 * hour))
      assert.strictEqual((yield* provider.send(order({ madeAt: Date.now() - 3 * hour })))._tag, "Done")
      const next = order({ madeAt: Date.now() - hour })
      bridge.transfers.push({ ...others(bridge, 1, Date.now())[0], client_reference_id: next.reference })
      assert.strictEqual((yield* provider.send(next))._tag, "Done")
      assert.lengthOf(bridge.of(next.reference), 1, "it was sent twice")
    })
  )

  it.live("a page that fails does not end the search for an order that may count as absent", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const clock = yield* movedClock
      const hour = 60 * 60_000
      bridge.transfers.push(...others(bridge, 1, Date.now() - 9 * hour), ...others(bridge, 150, Date.now()))
      let failures = 6
      bridge.meanwhile = ({ url }) => {
        if (!url.searchParams.has("starting_after") || failures === 0) return
        failures -= 1
        bridge.nextReplies.push({ status: 429, json: {} })
      }
      const never = order({ madeAt: Date.now() - 3 * hour, sentAt: Date.now() - 2 * hour })
      assert.strictEqual((yield* clock.by(provider.transfer(never, null)))._tag, "Refused")
      assert.strictEqual(failures, 0)
    })
  )

  it.live("a reference is found behind hundreds of others, and not looked for beyond the time of the order", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order()
      yield* provider.send(sent)
      bridge.transfers.push(...others(bridge, 250, Date.now()))
      assert.strictEqual((yield* provider.transfer(sent, null))._tag, "Done")
      const asked = bridge.received.length
      bridge.transfers.push(...others(bridge, 100, sent.sentAt - 60 * 60_000))
      assert.strictEqual((yield* provider.transfer(order(), null))._tag, "Unknown")
      assert.strictEqual(bridge.received.length, asked + 1)
    })
  )

  it.live(
    "a date without a zone is of UTC wherever the service runs, or a search would end before it found the order",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld({ inFlightMs: 3_600_000 })
        const at = Date.now() - 7_200_000
        const sent = order({ madeAt: at, sentAt: at })
        bridge.transfers.push({
          id: "transfer_sent",
          state: "payment_processed",
          client_reference_id: sent.reference,
          created_at: withoutZone(at)
        })
        bridge.transfers.push(...others(bridge, 150, at).map((row) => ({ ...row, created_at: withoutZone(at) })))
        const told = yield* inZone("Asia/Tokyo", provider.transfer(sent, null))
        assert.strictEqual(told._tag, "Done")
      })
  )

  it.live("what came back is told as Bridge tells it, and is not guessed where it does not", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order({ amount: { units: 10_000n, currency: "EUR" } })
      yield* provider.send(sent)
      const read = Effect.map(provider.transfer(sent, null), (answer) =>
        answer._tag === "Done" ? [answer.value.status, answer.value.returned?.units ?? null] : [answer._tag]
      )
      bridge.move(sent.reference, "refunded", "70.00")
      assert.deepStrictEqual(yield* read, ["RETURNED", 7_000n])
      const row = bridge.transfers[0] ?? {}
      row["return_details"] = { amount: "60.00" }
      assert.deepStrictEqual(yield* read, ["RETURNED", 6_000n], "what says so by name goes first")
      row["return_details"] = null
      row["receipt"] = null
      assert.deepStrictEqual(yield* read, ["RETURNED", null])
    })
  )

  it.live("what came back of a conversion is not read from a receipt that may be in either currency", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order({ kind: "OFF_RAMP", amount: { units: 10_000n, currency: "GBP" }, toCurrency: "EUR" })
      assert.strictEqual((yield* provider.send(sent))._tag, "Done")
      bridge.move(sent.reference, "refunded", "115.00")
      const answer = yield* provider.transfer(sent, null)
      assert.deepInclude(answer._tag === "Done" ? answer.value : {}, { status: "RETURNED", returned: null })
      const row = bridge.transfers[0] ?? {}
      row["return_details"] = { amount: "99.00" }
      const told = yield* provider.transfer(sent, null)
      assert.deepInclude(told._tag === "Done" ? told.value : {}, { returned: { units: 9_900n, currency: "GBP" } })
    })
  )

  it.live("who paid in what arrived is told where Bridge names their account, and of nothing that is paid out", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order({ kind: "ON_RAMP", payee: null })
      yield* provider.send(sent)
      const sender = Effect.map(provider.transfer(sent, null), (answer) =>
        answer._tag === "Done" ? answer.value.sender : answer._tag
      )
      assert.isNull(yield* sender)
      const row = bridge.transfers[0] ?? {}
      row["source"] = { payment_rail: "sepa", currency: "eur", sender_name: "Rui Costa", bank_routing_number: "x" }
      assert.isNull(yield* sender, "a name is no account")
      row["source"] = { payment_rail: "sepa", currency: "eur", sender_name: "Rui Costa", iban: anaSilva.iban, bic: "B" }
      assert.deepStrictEqual(yield* sender, {
        name: "Rui Costa",
        iban: anaSilva.iban,
        accountNumber: null,
        sortCode: null,
        routingNumber: null,
        bic: "B"
      })
      const out = order()
      yield* provider.send(out)
      const paid = yield* provider.transfer(out, null)
      assert.isNull(paid._tag === "Done" ? paid.value.sender : paid._tag)
    })
  )

  it.live("a transfer of another order is no answer", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      yield* provider.send(order())
      const id = String(bridge.transfers[0]?.["id"])
      assert.strictEqual((yield* provider.transfer(order(), id))._tag, "Unknown")
      assert.strictEqual((yield* provider.transfer(order(), "transfer_unheard_of"))._tag, "Unknown")
    })
  )

  it.live("a transfer other than the one that was asked for is no answer, though it names no order", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sent = order()
      yield* provider.send(sent)
      const id = String(bridge.transfers[0]?.["id"])
      const told = { state: "payment_processed", receipt: { final_amount: "100000000000000.01" } }
      const answers = [
        [{ ...told, id: "transfer_other" }, "Unknown"],
        [{ ...told, id }, "Done"]
      ] as const
      for (const [json, expected] of answers) {
        bridge.nextReplies.push({ status: 200, json })
        assert.strictEqual((yield* provider.transfer(sent, id))._tag, expected)
      }
    })
  )

  it.live("an account other than the one that was asked for, or another customer's, is no answer", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const opening = (reference: string) =>
        provider.openAccount({ reference, providerCustomerId: ownCustomerId, currency: "EUR", country: null })
      const one = yield* opening(crypto.randomUUID())
      yield* opening(crypto.randomUUID())
      if (one._tag !== "Done") return assert.fail(one._tag)
      const { providerAccountId } = one.value
      const [first, second] = bridge.accounts
      const anothers = { ...first, customer_id: "cust_other" }
      for (const json of [second, anothers]) {
        bridge.nextReplies.push({ status: 200, json })
        assert.strictEqual((yield* Effect.flip(provider.account(providerAccountId)))._tag, "ProviderError")
      }
      assert.strictEqual((yield* provider.account(providerAccountId)).providerAccountId, providerAccountId)
      // the second answer is the one about the account
      const customer = { status: 200, json: bridge.customers[0] }
      bridge.nextReplies.push(customer, { status: 201, json: anothers })
      assert.strictEqual((yield* opening(crypto.randomUUID()))._tag, "Unknown")
      return undefined
    })
  )

  it.live("a list of payments that holds one of another account, or of another customer's, is no answer", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const opened = yield* provider.openAccount({
        reference: crypto.randomUUID(),
        providerCustomerId: ownCustomerId,
        currency: "EUR",
        country: null
      })
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { providerAccountId } = opened.value
      const id = providerAccountId.split("/")[1] ?? ""
      bridge.activate(id)
      bridge.arrive(id, "10.00", "rent")
      for (const another of [{ virtual_account_id: "va_other" }, { customer_id: "cust_other" }]) {
        const data = bridge.history.map((row, nth) => (nth === 0 ? { ...row, ...another } : row)).toReversed()
        bridge.nextReplies.push({ status: 200, json: { data } })
        const { message } = yield* Effect.flip(provider.incoming(providerAccountId, null))
        assert.include(message, "of another account")
      }
      assert.lengthOf(yield* provider.incoming(providerAccountId, null), 1)
      return undefined
    })
  )

  it.live("money is told of once it was delivered, and not while Bridge may send it back", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const opened = yield* provider.openAccount({
        reference: crypto.randomUUID(),
        providerCustomerId: ownCustomerId,
        currency: "EUR",
        country: null
      })
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { providerAccountId } = opened.value
      const id = providerAccountId.split("/")[1] ?? ""
      bridge.activate(id)
      bridge.arrive(id, "10.00", "under way", "payment_submitted")
      assert.deepStrictEqual(yield* provider.incoming(providerAccountId, null), [])
      const first = bridge.arrive(id, "12.345678", "fees are off")
      for (let count = 0; count < 120; count++) bridge.arrive(id, "1.00", "many")
      const all = yield* provider.incoming(providerAccountId, null)
      assert.lengthOf(all, 121)
      assert.deepInclude(all[0], { id: first, amount: { units: 1_234n, currency: "EUR" }, description: "fees are off" })
      assert.deepStrictEqual(yield* provider.incoming(providerAccountId, first), all.slice(1))
      return undefined
    })
  )

  it.live(
    "a payment that is listed after a later one was booked is told, too, and what is long past is not read again",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld()
        const reference = crypto.randomUUID()
        const opened = yield* provider.openAccount({
          reference,
          providerCustomerId: ownCustomerId,
          currency: "EUR",
          country: null
        })
        if (opened._tag !== "Done") return assert.fail(opened._tag)
        const { providerAccountId } = opened.value
        const id = providerAccountId.split("/")[1] ?? ""
        bridge.activate(id)
        const minuteMs = 60_000
        const now = Date.now()
        const arrive = (minutesAgo: number) => {
          const deposit = bridge.arrive(id, "10.00", "rent")
          const at = new Date(now - minutesAgo * minuteMs).toISOString()
          for (const row of bridge.history) if (row["deposit_id"] === deposit) row["created_at"] = at
          return deposit
        }
        const [, late, booked] = [arrive(90), arrive(20), arrive(0)]
        const told = (yield* provider.incoming(providerAccountId, booked)).map((one) => one.id)
        assert.deepStrictEqual(told, [late])
        // however many came within that hour, those that are new are told
        for (let count = 0; count < 2_000; count++) bridge.arrive(id, "1.00", "many")
        const newest = bridge.arrive(id, "1.00", "the newest")
        const next = bridge.arrive(id, "1.00", "the next")
        assert.strictEqual((yield* provider.incoming(providerAccountId, newest)).at(-1)?.id, next)
        return undefined
      })
  )

  it.live("an account is not asked for before Bridge has reviewed the customer, which is no refusal", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const sepa = (status: string) => [
        { name: "base", status: "incomplete" },
        { name: "sepa", status }
      ]
      const customer: Record<string, unknown> = { id: "cust_new", status: "under_review" }
      bridge.customers.push(customer)
      const reference = crypto.randomUUID()
      const ask = provider.openAccount({ reference, providerCustomerId: "cust_new", currency: "EUR", country: null })
      for (const known of [{ status: "under_review" }, { status: "active", endorsements: sepa("incomplete") }]) {
        Object.assign(customer, known)
        assert.strictEqual((yield* ask)._tag, "Unknown")
      }
      assert.lengthOf(
        bridge.received.filter(({ method }) => method === "POST"),
        0
      )
      Object.assign(customer, { endorsements: sepa("approved") })
      assert.strictEqual((yield* ask)._tag, "Done")
    })
  )

  it.live(
    "that Bridge does not show a customer is no refusal of the account: keys of another environment show none",
    () =>
      Effect.gen(function* () {
        const { bridge, provider } = yield* makeWorld()
        const reference = crypto.randomUUID()
        const ask = provider.openAccount({ reference, providerCustomerId: "cust_new", currency: "EUR", country: null })
        const problem = { code: "invalid_parameters", message: "no" }
        bridge.nextReplies.push({ status: 400, json: problem }, { status: 422, json: problem })
        // the third time it is not found
        for (let count = 0; count < 3; count++) assert.strictEqual((yield* ask)._tag, "Unknown")
        bridge.customers.push({ id: "cust_new", status: "active" })
        assert.strictEqual((yield* ask)._tag, "Done")
      })
  )

  it.live("an account that Bridge does not open for a customer whom it shows is refused", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const reference = crypto.randomUUID()
      bridge.nextReplies.push(
        { status: 200, json: { id: ownCustomerId, status: "active" } },
        { status: 400, json: { code: "invalid_parameters", message: "no" } }
      )
      const order = { reference, providerCustomerId: ownCustomerId, currency: "EUR", country: null }
      assert.strictEqual((yield* provider.openAccount(order))._tag, "Refused")
    })
  )

  it.live("an account whose key was used up is asked for under another key of the day, once", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld()
      const reference = crypto.randomUUID()
      bridge.forgotten.add(reference)
      const order = { reference, providerCustomerId: ownCustomerId, currency: "EUR", country: null }
      const [first, again] = [yield* provider.openAccount(order), yield* provider.openAccount(order)]
      assert.strictEqual(first._tag, "Done")
      assert.deepStrictEqual(again, first)
      assert.lengthOf(bridge.accounts, 1)
    })
  )

  it.live("a currency that would be held as other money is refused at once", () =>
    Effect.gen(function* () {
      const held = (code: string, currency: string) =>
        Effect.flip(makeWorld({ holdings: { [code]: { kind: "bridge_wallet", walletId: "wallet", currency } } }))
      for (const [code, currency] of [
        ["EUR", "usdc"],
        ["GBP", "usdb"],
        ["USD", "eurc"]
      ] as const) {
        assert.include((yield* held(code, currency)).message, `${code} cannot be held as ${currency}`)
      }
    })
  )

  /** A Bridge with an account in euros, and what arrives there, in a currency that Bridge names. */
  const euros = Effect.gen(function* () {
    const { bridge, provider } = yield* makeWorld()
    const reference = crypto.randomUUID()
    const order = { reference, providerCustomerId: ownCustomerId, currency: "EUR", country: null }
    const opened = yield* provider.openAccount(order)
    if (opened._tag !== "Done") return assert.fail(opened._tag)
    const { providerAccountId } = opened.value
    const id = providerAccountId.split("/")[1] ?? ""
    bridge.activate(id)
    const arrive = (amount: string, more: Record<string, unknown> = {}) => {
      const deposit = bridge.arrive(id, amount, "rent")
      Object.assign(bridge.history.at(-1) ?? {}, more)
      return deposit
    }
    const incoming = (after: string | null = null) => provider.incoming(providerAccountId, after)
    return { arrive, incoming }
  })

  it.live(
    "what was delivered counts as it was delivered, and not at all where Bridge does not say in which money",
    () =>
      Effect.gen(function* () {
        const { arrive, incoming } = yield* euros
        // what is left of the payment before it is sent on
        arrive("99.50", { subtotal_amount: "100.00", gas_fee: "0.50" })
        const [arrived] = yield* incoming()
        assert.deepStrictEqual(arrived?.amount, { units: 9_950n, currency: "EUR" })
        arrive("108.20", { currency: null })
        assert.include((yield* Effect.flip(incoming())).message, "not understood")
      })
  )

  it.live("a payment that was delivered in other money is told as that money, and does not hold the next one", () =>
    Effect.gen(function* () {
      const { arrive, incoming } = yield* euros
      const first = arrive("10.00")
      arrive("108.20", { currency: "usdc" })
      arrive("7.00", { currency: "gbp" })
      const last = arrive("55.00")
      const told = yield* incoming(first)
      const amounts = told.map(({ amount }) => amount)
      assert.deepStrictEqual(amounts, [
        { units: 10_820n, currency: "USD" },
        { units: 700n, currency: "GBP" },
        { units: 5_500n, currency: "EUR" }
      ])
      assert.deepStrictEqual((yield* incoming(last)).slice(1), told.slice(0, -1))
    })
  )

  it.live("a payment's date without a zone is of UTC, wherever the service runs", () =>
    Effect.gen(function* () {
      const { arrive, incoming } = yield* euros
      const at = Date.now()
      arrive("10.00", { created_at: withoutZone(at) })
      const [arrived] = yield* inZone("Asia/Tokyo", incoming())
      assert.strictEqual(arrived?.arrivedAt, at)
    })
  )

  it.live("a payment in money that we have no currency for is logged as an error, and does not hold the next one", () =>
    Effect.gen(function* () {
      const { arrive, incoming } = yield* euros
      const strange = arrive("3.00", { currency: "sol" })
      const last = arrive("55.00")
      const logged: Array<string> = []
      const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
      const told = yield* Effect.provide(incoming(), log)
      assert.deepStrictEqual(
        told.map(({ amount, id }) => ({ amount, id })),
        [{ amount: { units: 5_500n, currency: "EUR" }, id: last }]
      )
      assert.lengthOf(logged, 1)
      for (const part of ["ERROR", "account.payment_in_unknown_currency", strange, "3.00", "sol"])
        assert.include(logged.join(), part)
    })
  )

  it.live("a refused person is told by the names of the fields, and can be registered once they are corrected", () =>
    Effect.gen(function* () {
      const { provider } = yield* makeWorld()
      const person = Redacted.value(somebody)
      const reference = crypto.randomUUID()
      const wrong = { ...person, dateOfBirth: `${person.dateOfBirth} or so` }
      const refused = yield* provider.register({ reference, isBusiness: false, identity: Redacted.make(wrong) })
      assert.deepStrictEqual(refused, { _tag: "Refused", reason: "Bridge refuses: invalid_parameters (birth_date)" })
      const taken = yield* provider.register({ reference, isBusiness: false, identity: somebody })
      assert.strictEqual(taken._tag, "Done")
      for (const secret of secrets) assert.notInclude(JSON.stringify([refused, taken]), secret)
    })
  )

  it.live("an answer that does not come is waited for only so long", () =>
    Effect.gen(function* () {
      const { bridge, provider } = yield* makeWorld({ timeoutMs: 50 })
      bridge.nextReplies.push({ status: 201, json: { id: "bank" } }, "hang")
      assert.strictEqual((yield* provider.send(order()))._tag, "Unknown")
    })
  )
})
