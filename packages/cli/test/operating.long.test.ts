import { beginCustody } from "@bursar/core/custody/beginCustody"
import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { unknown } from "@bursar/core/port/ProviderResult"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { bursar, type Ended } from "./support/bursar.ts"
import { tempDir } from "./support/tempDir.ts"
import { openTenant, operatorOn } from "./support/tenant.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"
import { localCurrencies as currencies } from "./support/localCurrencies.ts"

/** A server with a node that it never has to ask, and a terminal that several people share. */
const openTerminal = Effect.gen(function* () {
  const { url } = yield* migratedDatabase
  // nothing listens there: a network that is on and cannot be reached
  const server = yield* serve(environmentOf(url, { ethereum: "http://127.0.0.1:9" }))
  const cwd = yield* tempDir
  const env = { BURSAR_OPERATOR_URL: server.operatorUrl, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN }
  const run = (...args: ReadonlyArray<string>) => bursar(args, { env, cwd })
  const database = layerPostgres({ url: Redacted.make(url), maxConnections: 2 })
  const services = yield* Layer.build(Writer.layer.pipe(Layer.provideMerge(database)))
  return {
    /** Does in the database what a partner's request, or a worker, would. */
    submit: <A>(tenant: TenantId, command: Command<A>) =>
      Effect.provide(
        Effect.flatMap(Writer.Writer, (writer) => writer.submit(tenant, command)),
        services
      ),
    sql: yield* sqlOn(url),
    operator: yield* operatorOn(server.operatorUrl),
    run,
    /** Runs a command that must go well as somebody, and reads what it prints for programs. */
    json: (name: string, ...args: ReadonlyArray<string>) =>
      Effect.map(run(...args, "--as", name, "--json"), (ended) => {
        assert.deepInclude(ended, { code: 0, stderr: "" }, args.join(" "))
        return JSON.parse(ended.stdout)
      })
  }
})

class Terminal extends Context.Service<Terminal, Effect.Success<typeof openTerminal>>()("test/OperatingTerminal") {
  static readonly layer = Layer.effect(Terminal, openTerminal)
}

/** The command failed and said only this, on the error stream. */
const assertRefused = ({ code, stderr, stdout }: Ended, says: RegExp) => {
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, says)
  assert.notMatch(stderr, /^\s+at .*:\d+:\d+\)?$/mu)
}

const treasury = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

layer(Terminal.layer, { excludeTestServices: true })("operators who share a terminal", (it) => {
  it.effect("propose a destination, and another of them verifies it", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* Terminal
      yield* openTenant(operator, "treasured", 0)
      const proposed = yield* json("Alice", "destination", "propose", "treasured", "USDT_ETH", treasury, "--label", "T")
      assert.deepInclude(proposed, { address: treasury, proposed_by: "alice", verified_by: null, memo: null })
      assertRefused(
        yield* run("destination", "verify", "treasured", proposed.id, "USDT_ETH", treasury, "--as", "alice"),
        /^Whoever proposed the destination cannot verify it\.$/mu
      )
      assert.strictEqual(
        (yield* json("bob", "destination", "verify", "treasured", proposed.id, "USDT_ETH", treasury)).verified_by,
        "bob"
      )
      assert.match((yield* run("destination", "list", "treasured")).stdout, /^USDT_ETH +usable from 2\d{3}-/mu)
      const rejected = yield* json("carol", "destination", "reject", "treasured", proposed.id, "--reason", "lost")
      assert.strictEqual(rejected.rejected_reason, "lost")
      assertRefused(
        yield* run("destination", "propose", "treasured", "USDT_ETH", "nowhere", "--label", "x"),
        /address/u
      )
    })
  )

  it.effect("read operations that are older than some hours page by page, as the command says", () =>
    Effect.gen(function* () {
      const { operator, run, submit } = yield* Terminal
      const tenant = TenantId((yield* openTenant(operator, "older", 0)).id)
      const made = yield* Effect.forEach([1n, 2n, 3n], (units) =>
        submit(tenant, adjustFloat({ amount: of(units, "USDT_ETH"), against: "custodian", reason: "test" }))
      )
      const list = ["operation", "list", "older", "--older-than-hours", "0"] as const
      const first = yield* run(...list, "--limit", "2")
      const [, cursor = ""] = /--cursor (\S+)$/mu.exec(first.stdout) ?? assert.fail(first.stdout + first.stderr)
      const second = yield* run(...list, "--cursor", cursor)
      assert.strictEqual(second.code, 0, second.stderr)
      const places = made.map(({ id }) => [first.stdout.includes(id), second.stdout.includes(id)])
      assert.deepStrictEqual(places, [
        [false, true],
        [true, false],
        [true, false]
      ])
    })
  )

  it.effect("set what a tenant is charged and what its limits are, and are told what would be charged", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* Terminal
      yield* openTenant(operator, "charged", 0)
      const rule = yield* json(
        "ada",
        "fee",
        "add",
        "charged",
        "--product",
        "SWAP",
        "--percent",
        "0.5",
        "--minimum",
        "1"
      )
      assert.deepInclude(rule, { product: "SWAP", currency: null, percent: "0.5", minimum_fee: "1", priority: 100 })
      const simulated = yield* run("fee", "simulate", "charged", "SWAP", "1000", "USDT_ETH")
      assert.match(simulated.stdout, /^fee +5 USDT_ETH$/mu)
      assert.match(simulated.stdout, /^rule +0\.5 %, 1 at least, priority 100$/mu)
      assert.isNotNull((yield* json("ada", "fee", "retire", "charged", rule.id)).retired_at)
      assert.isNull((yield* json("ada", "fee", "simulate", "charged", "SWAP", "1000", "USDT_ETH")).rule)
      assert.lengthOf(yield* json("ada", "fee", "list", "charged"), 1)

      const flags =
        "--payouts no --payouts-off-on tron --payouts-off-on bitcoin --payout-limit 500.5 --payout-daily-limit none"
      const more =
        "--payout-new-address-limit 7 --payout-review 5 --adjustment-review none --withdrawals no --withdrawal-limit 9"
      const last = "--withdrawal-window-hours 48 --destination-cooling-hours 0 --slippage-bps 25"
      const least = "--withdrawal-review 20000 --payout-minimum USDT_ETH=5 --payout-minimum EUR=10"
      const changed = yield* json("ada", "tenant", "set", "charged", ...`${flags} ${more} ${last} ${least}`.split(" "))
      assert.deepInclude(changed, {
        payouts_enabled: false,
        payouts_off_on: ["tron", "bitcoin"],
        payout_limit_usd: "500.5",
        payout_daily_limit_usd: null,
        payout_new_address_limit_usd: "7",
        payout_review_usd: "5",
        adjustment_review_usd: null,
        withdrawals_enabled: false,
        withdrawal_limit_usd: "9",
        withdrawal_window_hours: 48,
        destination_cooling_hours: 0,
        slippage_bps: 25,
        withdrawal_review_usd: "20000",
        payout_minimums: { USDT_ETH: "5", EUR: "10" }
      })
      const again = yield* json(
        "ada",
        "tenant",
        "set",
        "charged",
        "--payouts-off-on",
        "none",
        "--payout-minimum",
        "none"
      )
      assert.deepInclude(again, { payouts_off_on: [], payout_limit_usd: "500.5", payout_minimums: {} })
      assertRefused(yield* run("tenant", "set", "charged", "--payout-limit", "much"), /payout_limit_usd/u)
    })
  )

  it.effect("adjust a float, which another of them approves where its worth is not known", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* Terminal
      yield* openTenant(operator, "floated", 0)
      const adjust = (name: string, ...how: ReadonlyArray<string>) =>
        json(name, "float", "adjust", "floated", "USDT_ETH", ...how, "--against", "custodian", "--reason", "funded")
      const proposed = yield* adjust("alice", "--add", "1000")
      assert.deepInclude(proposed, { state: "proposed", operation_id: null })
      assert.strictEqual((yield* run("float", "show", "floated")).stdout, "The tenant never had a balance.\n")
      assertRefused(
        yield* run("float", "approve", "floated", proposed.adjustment_id, "--as", "ALICE"),
        /^Whoever proposed an adjustment cannot approve it\.$/mu
      )
      const approved = yield* run("float", "approve", "floated", proposed.adjustment_id, "--as", "bob")
      assert.match(approved.stdout, /^available +1000 USDT_ETH$/mu)
      assert.match((yield* run("float", "show", "floated")).stdout, /^USDT_ETH +1000 +0 +1000$/mu)
      yield* json("ada", "tenant", "set", "floated", "--adjustment-review", "none")
      assert.deepInclude(yield* adjust("alice", "--take", "400"), { state: "booked", adjustment_id: null })
      assert.match(
        (yield* run("float", "proposals", "floated")).stdout,
        /^BOOKED +1000 USDT_ETH +- +custodian +- +- +alice +bob/mu
      )
      assertRefused(
        yield* run("float", "adjust", "floated", "USDT_ETH", "--against", "bank", "--reason", "x"),
        /^Name the amount with either --add or --take\.$/mu
      )
    })
  )

  it.effect("make wallets, and look for payouts of all tenants", () =>
    Effect.gen(function* () {
      const { json, operator, run } = yield* Terminal
      yield* openTenant(operator, "paying", 0)
      const made = yield* json("ada", "wallet", "create", "paying", "ethereum")
      assert.deepInclude(made, { network: "ethereum", role: "PAYOUT", open_transactions: 0, next_sequence: null })
      assert.match(made.address, /^0x[0-9a-fA-F]{40}$/u)
      assert.strictEqual((yield* json("ada", "wallet", "create", "paying", "ethereum")).id, made.id)
      // whoever wants other keys after a theft has to see that there are none
      assert.match(
        (yield* run("wallet", "create", "paying", "ethereum")).stdout,
        new RegExp(`${made.address}[^]*This wallet was there before: no key was made`, "u")
      )
      assert.notInclude((yield* run("wallet", "create", "paying", "bsc")).stdout, "was there before")
      assertRefused(
        yield* run("wallet", "create", "paying", "ethereum", "--channel"),
        /^ethereum has no channel accounts\.$/mu
      )
      assert.include((yield* run("wallet", "list", "paying")).stdout, made.address)
      assert.match((yield* run("review", "list")).stdout, /^Nothing waits for a review\.$/mu)
      const waiting = yield* run("payout", "list", "--status", "IN_REVIEW")
      assert.deepStrictEqual([waiting.code, waiting.stdout], [0, "There are no such payouts.\n"])
      assert.deepStrictEqual(yield* json("ada", "payout", "list", "paying", "--unresolved"), [])
      const nobody = crypto.randomUUID()
      const requests = [
        ["show"],
        ["approve"],
        ["reject", "--reason", "x"],
        ["cancel"],
        ["rebroadcast"],
        ["bump"],
        ["evidence", "--note", "x"]
      ] as const
      const ended = yield* Effect.forEach(
        requests,
        ([what, ...flags]) => run("payout", what, "paying", nobody, ...flags),
        { concurrency: 2 }
      )
      for (const one of ended) assertRefused(one, /^No such resource\.$/mu)
    })
  )

  it.effect(
    "end a swap of which the custodian says nothing, one by proposing what became of it and another by approving",
    () =>
      Effect.gen(function* () {
        const { json, operator, run, submit } = yield* Terminal
        yield* openTenant(operator, "swapping", 0)
        const tenant = TenantId((yield* json("ada", "tenant", "show", "swapping")).id)
        yield* submit(tenant, adjustFloat({ amount: of(500n, "USDT_ETH"), against: "custodian", reason: "t" }))
        const request = {
          amount: of(100n, "USDT_ETH"),
          toCurrency: "ETH",
          customerId: null,
          quoteId: null,
          partnerReference: null,
          provider: { name: "silent", environment: "SANDBOX" } as const,
          pair: { minimum: null, step: null },
          rate: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: Date.now() },
          defaultFees: [],
          currencies
        }
        const made = yield* submit(tenant, createSwap({ ...request, madeBy: "maker" }))
        yield* submit(tenant, beginCustody(made, { name: "fake", environment: "SANDBOX" }))
        yield* submit(tenant, recordSwap({ operation: made, answer: unknown("503"), currencies }))

        const listed = yield* run("operation", "list", "--unresolved", "--oldest")
        assert.match(listed.stdout, /^swapping +SWAP +PROCESSING \(unresolved\) +0\.0001 USDT_ETH +silent +503 /mu)
        const resolve = ["operation", "resolve", "swapping", made.id] as const
        const why = ["--reference", "Ticket 4711", "--source", "Support", "--statement", "Deleted."] as const
        assertRefused(
          yield* run(...resolve, "SETTLED", "--received", "much", ...why),
          /^--received is an amount and a currency, such as "12\.5 USDC_BASE"\.$/mu
        )
        assertRefused(yield* run("operation", "cancel", "swapping", made.id), /^It was sent, or may have been/mu)
        const proposed = yield* json("alice", ...resolve, "FAILED", ...why)
        const [{ id }] = proposed.resolutions
        assert.deepInclude(proposed, { status: "PROCESSING", unresolved: true })
        const approve = ["operation", "approve", "swapping", made.id, id] as const
        assertRefused(yield* run(...approve, "--as", "Alice"), /^Whoever proposed a resolution cannot approve it\.$/mu)
        assert.deepInclude(yield* json("bob", ...approve), { status: "FAILED", unresolved: false })
        assert.match((yield* run("operation", "show", "swapping", made.id)).stdout, /resolution_applied +bob/u)
        const [{ available }] = yield* json("ada", "float", "show", "swapping")
        assert.deepStrictEqual(available, { amount: "0.0005", currency: "USDT_ETH" })
        assert.deepStrictEqual((yield* json("ada", "operation", "list", "--unresolved")).operations, [])

        const nobody = crypto.randomUUID()
        const requests = [
          ["show"],
          ["cancel"],
          ["evidence", "--note", "x"],
          ["resolve", "FAILED", ...why],
          ["approve", nobody],
          ["reject", nobody, "--reason", "x"]
        ] as const
        for (const [what, ...rest] of requests)
          assertRefused(yield* run("operation", what, "swapping", nobody, ...rest), /^No such resource\.$/mu)
      })
  )

  it.effect("leave what they did in a log that the database only adds to, and that shows what was changed in it", () =>
    Effect.gen(function* () {
      const { json, operator, run, sql } = yield* Terminal
      yield* openTenant(operator, "logged", 0)
      yield* json("dora", "tenant", "suspend", "logged")
      const listed = yield* run("audit", "list", "--by", "dora")
      assert.match(listed.stdout, /^\d+ +2\S+ +dora +admin +200 +POST \/tenants\/:tenant_id\/suspend +\S+$/mu)
      const [after, before] = yield* json("x", "audit", "list", "--by", "dora", "--limit", "2")
      assert.deepStrictEqual([after.status, before.status, after.action_id], [200, null, before.action_id])
      const newest = yield* run("audit", "list", "--limit", "1", "--json")
      assert.strictEqual(newest.stderr.trim(), `There are more: --before ${after.id}, or --all`)
      assert.strictEqual((yield* run("audit", "list", "--all")).stderr, "")
      const right = yield* json("x", "audit", "verify")
      assert.deepInclude(right, { ok: true, first_wrong: null })
      assert.deepInclude(yield* json("x", "audit", "verify", "--anchor", right.head), { ok: true, anchor_found: true })

      const forge = sql`update operator_audit set operator = 'eve' where id = ${BigInt(before.id)}`
      assert.match(String((yield* Effect.flip(forge)).reason.cause), /operator_audit is only added to/u)
      yield* sql`alter table operator_audit disable trigger operator_audit_kept`
      yield* forge
      const wrong = yield* run("audit", "verify")
      assert.deepStrictEqual(
        [wrong.code, wrong.stderr.trim()],
        [1, `Record ${before.id} was changed: its hash is that of something else.`]
      )
      assert.match(wrong.stdout, /^ok +false$/mu)
      yield* sql`update operator_audit set operator = 'dora' where id = ${BigInt(before.id)}`
      yield* sql`delete from operator_audit where id > ${BigInt(before.id)}`
      assertRefused(
        { ...(yield* run("audit", "verify", "--anchor", right.head)), stdout: "" },
        /^The anchor is not in the log: records were cut off or replaced\.$/mu
      )
    })
  )
})
