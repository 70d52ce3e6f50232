import { keysAt } from "@bursar/testkit/fixtures/deposits"
import { constants, generateKeyPairSync, publicEncrypt } from "node:crypto"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { holdByOperator } from "@bursar/core/sweep/sweepHold"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type makeSeeder, Partner } from "./support/Partner.ts"
import { authority, registerPair, requestOf } from "./support/signing.ts"
import { written } from "./support/written.ts"

type Seeder = Effect.Success<typeof makeSeeder>

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** The address of the private key 0x0101…01, in the form of these tests. */
const secret = Buffer.alloc(32, 1)
const addressOfSecret = "0x1a642f0e3c3af545e7acbd38b07251b3990914f1"

const wrap = (publicKey: string, bytes: Uint8Array): string =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, bytes).toString(
    "base64"
  )

/** Each on a server of its own: an address has one owner among all tenants. */
const test = <A, E>(name: string, effect: Effect.Effect<A, E, Partner>) =>
  it.live(name, () => Effect.provide(effect, Partner.layer()))

describe("addresses whose keys the service holds", () => {
  let keys = 0
  const setUp = Effect.gen(function* () {
    const { seeder, logged, send, state } = yield* Partner
    const tenant = yield* seeder.tenant()
    const key = yield* seeder.key(tenant)
    const { signer } = yield* registerPair(seeder, tenant, key)
    const post = (path: string, body?: unknown, idempotencyKey = `c${(keys += 1)}`) =>
      send("POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })
    const get = (path: string) => send("GET", path, { key })
    const issue = (count: unknown, more: object = {}) =>
      post("/v1/deposit-addresses/issue", { network: "ethereum", reference: "r", count, ...more })
    const hold = (id: string, body: object) =>
      post(`/v1/deposit-addresses/${id}/sweep-hold`, { reason: "why", ...body })
    const importKey = (body: object, idempotencyKey = `i${(keys += 1)}`) =>
      Effect.gen(function* () {
        const raw = JSON.stringify(body)
        const signed = yield* signer.sign(requestOf(raw, idempotencyKey, { path: "/v1/deposit-keys" }))
        return yield* send("POST", "/v1/deposit-keys", {
          key,
          raw,
          headers: {
            host: authority,
            "content-type": "application/json",
            "idempotency-key": idempotencyKey,
            ...signed
          }
        })
      })
    return {
      tenant,
      key,
      post,
      get,
      issue,
      hold,
      importKey,
      send,
      state,
      seeder,
      logged,
      seen: () => written(state, tenant)
    }
  })

  const arrive = (seeder: Seeder, tenant: TenantId, address: Record<string, string>, tx: string) =>
    seeder.submit(
      tenant,
      recordIncomingTransfers(
        {
          network: "ethereum",
          requiredConfirmations: 3,
          incomingTransfers: [
            {
              network: "ethereum",
              txHash: tx,
              transferIndex: 0,
              addressId: address["id"] ?? "",
              address: address["address"] ?? "",
              keys: keysAt(address["address"] ?? ""),
              currency: "ETH",
              units: 5n,
              fromAddress: null,
              block: { number: 1, hash: "0xb", time: Date.parse(address["created_at"] ?? "") },
              confirmations: 1
            }
          ]
        },
        defaultCurrencies
      )
    )

  test(
    "are issued from one seed, each once, and only to keys that hold the scope by name",
    Effect.gen(function* () {
      const { seeder, issue, send, tenant } = yield* setUp
      const one = yield* issue(2)
      assert.strictEqual(one.status, 200)
      const two = yield* issue(1, { network: "bsc" })
      assert.strictEqual(two.body.seed_id, one.body.seed_id)
      assert.deepStrictEqual([one.body.next_index, two.body.next_index, two.body.network], [2, 3, "bsc"])
      const all = [...one.body.addresses, ...two.body.addresses]
      assert.deepStrictEqual(
        all.map((each) => [
          each.derivation_index,
          each.source,
          each.seed_id,
          each.sweeps_enabled,
          each.sweep_hold_kind
        ]),
        [0, 1, 2].map((index) => [index, "SERVICE_ISSUED", one.body.seed_id, true, null])
      )
      assert.lengthOf(new Set(all.map(({ address }) => address)), 3)
      for (const count of [0, 101]) assert.deepStrictEqual(codeOf(yield* issue(count)), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* issue(1, { network: "tron" })), [422, "unknown_network"])
      const key = yield* seeder.key(tenant, ["deposits:read", "deposits:write"])
      const refused = yield* send("POST", "/v1/deposit-addresses/issue", {
        key,
        body: { network: "ethereum", reference: "r", count: 1 },
        headers: { "idempotency-key": "k" }
      })
      assert.deepStrictEqual(codeOf(refused), [403, "scope_missing"])
    })
  )

  test(
    "give each index to one of many callers at once",
    Effect.gen(function* () {
      const { issue } = yield* setUp
      const networks = ["ethereum", "bsc", "base"]
      const answers = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => networks[index % 3]),
        (network) => issue(2, { network }),
        { concurrency: "unbounded" }
      )
      const addresses = answers.flatMap(({ body }) => body.addresses)
      assert.lengthOf(new Set(addresses.map(({ address }) => address)), 60)
      assert.lengthOf(new Set(answers.map(({ body }) => body.seed_id)), 1)
    })
  )

  test(
    "are held and released by their tenant once the newest arrival was read",
    Effect.gen(function* () {
      const { get, seeder, hold, issue, tenant } = yield* setUp
      const [address] = (yield* issue(1)).body.addresses
      const held = yield* hold(address.id, { held: true })
      assert.deepStrictEqual(
        [held.status, held.body.sweep_hold_kind, held.body.sweep_hold_reason, held.body.sweeps_enabled],
        [200, "OWNER", "why", false]
      )
      assert.deepStrictEqual((yield* hold(address.id, { held: true })).body, held.body)
      yield* arrive(seeder, tenant, address, "0x1")
      const [deposit] = (yield* get("/v1/deposits")).body.deposits
      const release = (seen?: number) =>
        hold(address.id, { held: false, ...(seen === undefined ? {} : { seen_through: seen }) })
      assert.deepStrictEqual(codeOf(yield* release()), [422, "sweep_newer_arrival"])
      assert.deepStrictEqual(codeOf(yield* release(deposit.change_seq - 1)), [422, "sweep_newer_arrival"])
      const free = yield* release(deposit.change_seq)
      assert.deepStrictEqual([free.body.sweep_hold_kind, free.body.sweeps_enabled], [null, true])
      yield* seeder.submit(tenant, holdByOperator(address.id, "ours"))
      assert.deepStrictEqual(codeOf(yield* release(deposit.change_seq)), [409, "sweep_hold_by_operator"])
      assert.deepStrictEqual(codeOf(yield* hold(address.id, { held: true, seen_through: 1 })), [422, "invalid_request"])
      assert.deepStrictEqual(codeOf(yield* hold(crypto.randomUUID(), { held: true })), [404, "not_found"])
    })
  )

  test(
    "are the only ones that can be held",
    Effect.gen(function* () {
      const { hold, post } = yield* setUp
      const { body } = yield* post("/v1/deposit-addresses", {
        addresses: [{ network: "ethereum", address: `0x${"ab".repeat(20)}`, reference: "r" }]
      })
      const { id } = body.results[0].address
      assert.deepStrictEqual(codeOf(yield* hold(id, { held: true })), [409, "state_conflict"])
    })
  )

  test(
    "come with a wrapped key, once, signed; the address keeps its reference",
    Effect.gen(function* () {
      const { get, importKey, post, seen } = yield* setUp
      yield* post("/v1/deposit-addresses", {
        addresses: [{ network: "ethereum", address: addressOfSecret, reference: "customer-3" }]
      })
      const { body: wrapping } = yield* get("/v1/deposit-keys/wrapping-key")
      assert.deepStrictEqual(wrapping.algorithms, ["RSA-OAEP-SHA256", "RSA-OAEP-SHA256+AES-KWP"])
      const body = {
        network: "ethereum",
        address: addressOfSecret.toUpperCase().replace("0X", "0x"),
        wrapped_b64: wrap(wrapping.public_key, secret),
        source_system: "former-wallet"
      }
      const imported = yield* importKey(body, "once")
      assert.strictEqual(imported.status, 200, imported.text)
      assert.deepStrictEqual(imported.body, {
        network: "ethereum",
        address: addressOfSecret,
        origin: "SERVICE_IMPORTED",
        address_matches: true,
        sweeps_enabled: true,
        checked_by: "vault",
        wrapped_key_id: imported.body.wrapped_key_id,
        algorithm: "RSA-OAEP-SHA256",
        source_system: "former-wallet",
        source_reference: null,
        imported_at: imported.body.imported_at
      })
      const replay = yield* importKey(body, "once")
      assert.deepStrictEqual([replay.text, replay.headers["idempotency-replayed"]], [imported.text, "true"])
      const { addresses } = (yield* get(`/v1/deposit-addresses?address=${addressOfSecret}`)).body
      assert.deepStrictEqual(
        addresses.map((one: Record<string, unknown>) => [one["source"], one["reference"], one["sweeps_enabled"]]),
        [["SERVICE_IMPORTED", "customer-3", true]]
      )
      assert.deepStrictEqual(codeOf(yield* importKey(body)), [409, "state_conflict"])
      // an imported key and the key that it was wrapped for
      assert.deepStrictEqual(seen().keys, [1, 0, 2, 0])
      const told = (yield* get("/v1/operations/by-key/once")).body
      assert.deepStrictEqual([told.response_status, told.operation], [200, null])
    })
  )

  test(
    "are not taken with a key that cannot be read or is that of another address; nothing is stored",
    Effect.gen(function* () {
      const { get, importKey, key, logged, seen, send } = yield* setUp
      const { body: wrapping } = yield* get("/v1/deposit-keys/wrapping-key")
      const other = generateKeyPairSync("rsa", { modulusLength: 3072 })
        .publicKey.export({ format: "pem", type: "spki" })
        .toString()
      const right = wrap(wrapping.public_key, secret)
      const body = { network: "ethereum", address: addressOfSecret, wrapped_b64: right }
      const before = seen()
      const unsigned = yield* send("POST", "/v1/deposit-keys", { key, body, headers: { "idempotency-key": "u" } })
      assert.deepStrictEqual(codeOf(unsigned), [401, "signature_missing"])
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ wrapped_b64: "not base64!" }, "wrapped_key_unreadable"],
        [{ wrapped_b64: "AAAA" }, "wrapped_key_unreadable"],
        [{ wrapped_b64: secret.toString("base64") }, "wrapped_key_unreadable"],
        [{ wrapped_b64: wrap(other, secret) }, "wrapped_key_unreadable"],
        [{ wrapped_b64: wrap(wrapping.public_key, Buffer.alloc(32)) }, "wrapped_key_unreadable"],
        [{ wrapped_b64: wrap(wrapping.public_key, Buffer.alloc(16, 1)) }, "wrapped_key_unreadable"],
        [{ algorithm: "RSA-OAEP-SHA256+AES-KWP" }, "wrapped_key_unreadable"],
        [{ algorithm: "ROT13" }, "wrapped_key_unreadable"],
        [{ wrapped_b64: wrap(wrapping.public_key, Buffer.alloc(32, 2)) }, "address_invalid"],
        [{ address: `0x${"f".repeat(40)}` }, "address_invalid"],
        [{ network: "doge" }, "unknown_network"]
      ]
      for (const [more, code] of cases) {
        const answer = yield* importKey({ ...body, ...more })
        assert.deepStrictEqual(codeOf(answer), [422, code], JSON.stringify(more))
      }
      assert.deepStrictEqual({ ...seen(), counts: [] }, { ...before, counts: [] })
      assert.strictEqual((yield* importKey(body)).status, 200)
      const shown = logged.join("\n")
      for (const encoding of ["hex", "base64"] as const) assert.notInclude(shown, secret.toString(encoding))
      assert.notInclude(shown, right)
      assert.notInclude(shown, "PRIVATE")
    })
  )

  test(
    "have a wrapping key of their tenant's own",
    Effect.gen(function* () {
      const { get, seeder, send } = yield* setUp
      const mine = (yield* get("/v1/deposit-keys/wrapping-key")).body
      assert.deepStrictEqual((yield* get("/v1/deposit-keys/wrapping-key")).body, mine)
      const otherPartner = yield* seeder.key(yield* seeder.tenant())
      const theirs = yield* send("GET", "/v1/deposit-keys/wrapping-key", { key: otherPartner })
      assert.notStrictEqual(theirs.body.public_key, mine.public_key)
    })
  )
})
