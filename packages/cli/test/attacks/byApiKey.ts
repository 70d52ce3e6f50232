import { Effect } from "effect"
import { type Call, callOf, expectAnswer, send, signed } from "../support/calls.ts"
import { freshAddress } from "../support/payer.ts"
import { type Attack, type Attacker, stole } from "./Attack.ts"
import { type Attacked, payoutTo } from "./AttackedService.ts"

const wire = {
  kind: "BANK_TRANSFER",
  amount: { amount: "40000", currency: "EUR" },
  beneficiary_name: "Mallory",
  beneficiary_account: "PT50 0002 0123 1234 5678 9015 4"
}

/** Calls with a key that was stolen. */
const callsWith =
  ({ partnerUrl }: Attacked, key: string) =>
  (path: string, body?: unknown) =>
    callOf(`${partnerUrl}${path}`, { bearer: key, body })

const bearerAlone: Attack = {
  title: "asks with the key alone for a transfer to a new bank account, a withdrawal, a swap and a payout",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, openKey, victim } = attacked
      const { key, prefix } = yield* openKey(victim.id)
      const call = callsWith(attacked, key)
      // who signs comes further: there is nobody here who would transfer it
      yield* expectAnswer(
        yield* signed(victim.call("/v1/transfers", wire), victim.privateJwk),
        403,
        "product_not_enabled"
      )
      return Effect.gen(function* () {
        const thief = freshAddress()
        const amount = { amount: "900", currency: "USDT_ETH" }
        for (const asked of [
          call("/v1/transfers", wire),
          call("/v1/withdrawals", { amount }),
          call("/v1/swaps", { amount, to_currency: "ETH" }),
          call("/v1/chain-payouts", payoutTo(thief))
        ])
          yield* expectAnswer(asked, 401, "signature_missing")
        yield* stole(attacked, [thief])
        return yield* alarm("server", "api_key.refused", prefix, "signature_missing")
      })
    })
}

/** Accounts m/44'/60'/0' and m/44'/195'/0' of the mnemonic "abandon × 11 about"; nobody uses them. */
const own =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
const thiefs =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"

const xpubs = (xpub: string) => ({ network: "ethereum", xpub, index_from: 0, index_to: 9 })

const replacedXpub: Attack = {
  title: "retires the live xpub with a key for deposits, and registers its own",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, openKey, victim } = attacked
      const { privateJwk } = victim
      const register = yield* signed(victim.call("/v1/deposit-xpubs", xpubs(own)), privateJwk)
      const { body: live } = yield* expectAnswer(register, 200)
      const { key, prefix } = yield* openKey(victim.id, ["deposits:read", "deposits:write"])
      const call = callsWith(attacked, key)
      return Effect.gen(function* () {
        yield* expectAnswer(call(`/v1/deposit-xpubs/${live.id}/retire`, {}), 401, "signature_missing")
        yield* expectAnswer(call("/v1/deposit-xpubs", xpubs(thiefs)), 401, "signature_missing")
        const { body } = yield* expectAnswer(call("/v1/deposit-xpubs"), 200)
        const listed = JSON.stringify(body.xpubs)
        if (body.xpubs.length !== 1 || body.xpubs[0].xpub !== own || body.xpubs[0].retired_at !== null)
          return yield* Effect.die(new Error(`it was replaced: ${listed}`))
        return yield* alarm("server", "api_key.refused", prefix, "signature_missing")
      })
    })
}

const othersKey: Attack = {
  title: "reaches for another tenant, and for what the key has no scope for",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, openKey, other, untilPaid, victim } = attacked
      const to = freshAddress()
      const { body: paid } = yield* expectAnswer(yield* victim.askFor(to), 201)
      yield* untilPaid({ id: paid.id, tenantId: victim.id }, to)
      const [foreign, narrow] = [yield* openKey(other.id), yield* openKey(victim.id, ["deposits:read"])]
      return Effect.gen(function* () {
        const thief = freshAddress()
        const seen = callsWith(attacked, foreign.key)(`/v1/chain-payouts/${paid.id}`)
        yield* expectAnswer(seen, 404, "not_found")
        // the owner's signature does not help: it is of a key that belongs to another
        for (const [{ key }, status, code] of [
          [foreign, 401, "signature_key_unknown"],
          [narrow, 403, "scope_missing"]
        ] as const) {
          const call = callsWith(attacked, key)("/v1/chain-payouts", payoutTo(thief))
          yield* expectAnswer(yield* signed(call, victim.privateJwk), status, code)
        }
        yield* stole(attacked, [thief])
        yield* alarm("server", "api_key.refused", narrow.prefix, "scope_missing")
        return yield* alarm("server", "api_key.refused", foreign.prefix, "signature_key_unknown")
      })
    })
}

/** The same call with other headers, or another body. */
const changed = (call: Call, headers: Call["headers"], body = call.body): Call => ({
  ...call,
  headers: { ...call.headers, ...headers },
  body
})

const replayed: Attack = {
  title: "copies a signed request that was paid, and sends it again, changed and unchanged",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, holdsDollars, openKey, price, untilPaid, victim } = attacked
      const to = freshAddress()
      const asked = yield* victim.askFor(to)
      const { body: first } = yield* expectAnswer(asked, 201)
      yield* untilPaid({ id: first.id, tenantId: victim.id }, to)
      const { key } = yield* openKey(victim.id)
      return Effect.gen(function* () {
        const thief = freshAddress()
        const again = yield* send(asked)
        if (again.body.id !== first.id) return yield* Effect.die(new Error(`it was asked for again: ${again.body.id}`))
        const fresh = { "idempotency-key": crypto.randomUUID() }
        const redirected = JSON.stringify(payoutTo(thief))
        yield* expectAnswer(changed(asked, fresh), 401, "signature_invalid")
        yield* expectAnswer(changed(asked, fresh, redirected), 401, "digest_mismatch")
        yield* expectAnswer(changed(asked, { authorization: `Bearer ${key}` }), 401, "signature_key_unknown")
        yield* stole(attacked, [thief])
        const held = yield* holdsDollars(to)
        if (held !== price.units) return yield* Effect.die(new Error(`it was paid twice: ${held}`))
        return yield* alarm("server", "api_key.refused", victim.prefix, "signature_invalid")
      })
    })
}

/** Whoever has an API key, and no other secret of the partner. */
export const byApiKey: Attacker = {
  attacker: "whoever has an API key",
  writes: false,
  attacks: [bearerAlone, replacedXpub, othersKey, replayed]
}
