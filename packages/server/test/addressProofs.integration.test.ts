import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { stored } from "./support/stored.ts"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { incomingTransferAt } from "@bursar/testkit/fixtures/deposits"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, Partner } from "./support/Partner.ts"
import { signatureOf } from "./support/TestKeys.ts"
import { addressOf } from "./support/written.ts"

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const account =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
const firstOfAccount = "0x9858effd232b4033e47d90003d41ec34ecaeda94"

layer(Partner.layer(), { excludeTestServices: true })("proofs of addresses", (it) => {
  let made = 0
  const setUp = Effect.gen(function* () {
    const { seeder, send, state } = yield* Partner
    const tenant = yield* seeder.tenant({ policy: { addressProofRequired: true } })
    const key = yield* seeder.key(tenant)
    const post = (path: string, body: unknown, as = key) => send("POST", path, { key: as, body })
    const register = Effect.fnUntraced(function* () {
      made += 1
      const address = addressOf(7_000 + made)
      const headers = { "idempotency-key": `k${made}` }
      const { body } = yield* send("POST", "/v1/deposit-addresses", {
        key,
        headers,
        body: { addresses: [{ network: "ethereum", address, reference: "r" }] }
      })
      const record = stored(state, tenant, DepositAddress).get(body.results[0].address.id)
      return record ?? (yield* Effect.die(new Error("not registered")))
    })
    /** Something arrives and is confirmed. */
    const pay = Effect.fnUntraced(function* (address: DepositAddress, units: bigint) {
      const incomingTransfer = incomingTransferAt(address, units)
      const [deposit] = yield* seeder.submit(
        tenant,
        recordIncomingTransfers(
          { network: "ethereum", requiredConfirmations: 1, incomingTransfers: [incomingTransfer] },
          defaultCurrencies
        )
      )
      if (deposit === undefined) return yield* Effect.die(new Error("nothing arrived"))
      const deep = [{ deposit, blockHash: incomingTransfer.block.hash, confirmations: 1 }]
      return yield* seeder.submit(tenant, confirmDeposits(deep, defaultCurrencies, nothingUndecided))
    })
    const challenge = (subject: object, as = key) => post("/v1/address-proofs/challenge", subject, as)
    const prove = (subject: object, issued_at: string, signature: string, as = key) =>
      post("/v1/address-proofs", { ...subject, issued_at, signature }, as)
    const float = Effect.map(send("GET", "/v1/float", { key }), ({ body }) => body.currencies)
    return { seeder, tenant, key, register, pay, challenge, prove, float, send }
  })

  it.effect("credit what waited for them, once, and are answered the same again", () =>
    Effect.gen(function* () {
      const { challenge, float, pay, prove, register } = yield* setUp
      const record = yield* register()
      yield* pay(record, 10n ** 18n)
      yield* pay(record, 2n * 10n ** 18n)
      assert.deepStrictEqual(yield* float, [])
      const subject = { network: "ethereum", address: record.address }
      const { body: asked, status } = yield* challenge(subject)
      assert.strictEqual(status, 200)
      assert.deepInclude(asked, { ...subject, xpub_id: null, format: "EIP-191" })
      assert.include(asked.message, record.address)
      assert.include(asked.message, record.tenantId)
      assert.strictEqual(Date.parse(asked.expires_at) - Date.parse(asked.issued_at), 3_600_000)
      const signature = signatureOf("ethereum", record.address, asked.message)
      const first = yield* prove(subject, asked.issued_at, signature)
      assert.deepStrictEqual(
        [first.status, first.body],
        [200, { ...subject, xpub_id: null, proven_at: first.body.proven_at, deposits_credited: 2 }]
      )
      const again = yield* prove(subject, asked.issued_at, signature)
      assert.deepStrictEqual(again.body, { ...first.body, deposits_credited: 0 })
      yield* pay(record, 10n ** 18n)
      const [eth] = yield* float
      assert.strictEqual(eth.available.amount, "4")
    })
  )

  it.effect("are good for one tenant, one network, one address and one hour", () =>
    Effect.gen(function* () {
      const { challenge, float, seeder, pay, prove, register } = yield* setUp
      const [record, other] = [yield* register(), yield* register()]
      yield* pay(record, 10n ** 18n)
      const subject = { network: "ethereum", address: record.address }
      const { body: asked } = yield* challenge(subject)
      const sign = (message: string, address = record.address, network = "ethereum") =>
        signatureOf(network, address, message)
      const minutesOn = (minutes: number) => new Date(Date.parse(asked.issued_at) + minutes * 60_000).toISOString()
      const signature = sign(asked.message)
      const old = minutesOn(-61)
      const early = minutesOn(61)
      for (const [what, one] of [
        ["another address", prove({ ...subject, address: other.address }, asked.issued_at, signature)],
        ["another network", prove({ ...subject, network: "base" }, asked.issued_at, signature)],
        ["another moment", prove(subject, minutesOn(1 / 60), signature)],
        ["too old", prove(subject, old, sign(asked.message.replace(asked.issued_at, old)))],
        ["not yet", prove(subject, early, sign(asked.message.replace(asked.issued_at, early)))],
        ["another's key", prove(subject, asked.issued_at, sign(asked.message, other.address))],
        ["junk", prove(subject, asked.issued_at, "0x")]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* one), [422, "address_proof_invalid"], what)
      }
      const thief = yield* seeder.key(yield* seeder.tenant())
      assert.deepStrictEqual(
        codeOf(yield* prove(subject, asked.issued_at, signature, thief)),
        [422, "address_proof_invalid"],
        "another tenant's challenge"
      )
      const { body: theirs } = yield* challenge(subject, thief)
      assert.deepStrictEqual(
        codeOf(yield* prove(subject, theirs.issued_at, sign(theirs.message), thief)),
        [404, "not_found"],
        "an address that the tenant does not watch"
      )
      assert.deepStrictEqual(yield* float, [])
    })
  )

  it.effect("of an xpub are made with its address at 0/0", () =>
    Effect.gen(function* () {
      const { challenge, seeder, key, prove, send, tenant } = yield* setUp
      const xpub = yield* seeder.submit(
        tenant,
        registerXpub(xpubItem({ xpub: account, canonical: account, indexTo: 9 }))
      )
      yield* send("POST", "/v1/deposit-addresses/derive", {
        key,
        headers: { "idempotency-key": "derive" },
        body: { network: "ethereum", reference: "r", count: 1 }
      })
      const subject = { network: "ethereum", xpub_id: xpub.id }
      const { body: asked } = yield* challenge(subject)
      assert.deepStrictEqual([asked.address, asked.xpub_id], [firstOfAccount, xpub.id])
      const signature = signatureOf("ethereum", firstOfAccount, asked.message)
      const proven = yield* prove(subject, asked.issued_at, signature)
      assert.deepStrictEqual([proven.status, proven.body.deposits_credited], [200, 0])
      // the address alone proves nothing of its own: it is the account that is proven
      const alone = yield* challenge({ network: "ethereum", address: firstOfAccount })
      const signed = signatureOf("ethereum", firstOfAccount, alone.body.message)
      assert.deepStrictEqual(
        codeOf(yield* prove({ network: "ethereum", address: firstOfAccount }, alone.body.issued_at, signed)),
        [409, "state_conflict"]
      )
    })
  )

  it.effect("name an address or an xpub of the tenant's, and nothing else", () =>
    Effect.gen(function* () {
      const { challenge } = yield* setUp
      for (const [subject, expected] of [
        [{ network: "ethereum" }, [422, "invalid_request"]],
        [{ network: "ethereum", address: addressOf(1), xpub_id: crypto.randomUUID() }, [422, "invalid_request"]],
        [{ network: "ethereum", address: "junk" }, [422, "address_invalid"]],
        [{ network: "dogecoin", address: addressOf(1) }, [422, "unknown_network"]],
        [{ network: "ethereum", xpub_id: crypto.randomUUID() }, [404, "not_found"]]
      ] as const) {
        assert.deepStrictEqual(codeOf(yield* challenge(subject)), [...expected], JSON.stringify(subject))
      }
    })
  )
})
