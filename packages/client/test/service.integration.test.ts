import { type Client, createClient, createEventConsumer, isDepositEvent } from "@bursar/client"
import { fileCursorStore } from "@bursar/client/node"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DepositAddress } from "../../core/src/address/DepositAddress.ts"
import { recordIncomingTransfers } from "../../core/src/incoming/recordIncomingTransfers.ts"
import { defaultCurrencies } from "../../core/src/money/defaultCurrencies.ts"
import { adjustFloat } from "../../core/src/adjustment/adjustFloat.ts"
import { Partner } from "../../server/test/support/Partner.ts"
import { registerPair } from "../../server/test/support/signing.ts"
import { stored } from "../../server/test/support/stored.ts"
import { addressOf } from "../../server/test/support/written.ts"
import { collect } from "./support/collect.ts"

/** A tenant of a real server over memory, and a client of it. */
const setUp = Effect.fnUntraced(function* (scopes?: ReadonlyArray<string>) {
  const { seeder, state, url } = yield* Partner
  const tenant = yield* seeder.tenant()
  const key = yield* seeder.key(tenant, scopes)
  const { privateJwk } = yield* registerPair(seeder, tenant, key)
  const options = { baseUrl: url, apiKey: key, signingKey: privateJwk }
  return { client: createClient(options), seeder, options, state, tenant, url }
})

/** What a call rejects with. */
const thrown = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error
  )

let made = 7_000

const addresses = (count: number) =>
  Array.from({ length: count }, () => {
    made += 1
    return { network: "ethereum", address: addressOf(made), reference: "customer-1" }
  })

const registeredIn = (client: Client) => collect(client.depositAddresses.each({ limit: 2 }), ({ address }) => address)

// Authorities of this machine are taken where none is configured.
layer(Partner.layer({ publicAuthorities: [] }), { excludeTestServices: true })("against a service", (it) => {
  it.effect("a client finds out whose key it has", () =>
    Effect.gen(function* () {
      const { client, tenant } = yield* setUp()
      const me = yield* Effect.promise(() => client.introspection.whoami())
      assert.strictEqual(me.tenant.id, tenant)
      assert.isAbove((yield* Effect.promise(() => client.introspection.limits())).requests.writes_per_minute, 0)
    })
  )

  it.effect("its signatures are verified, and those of another pair are not", () =>
    Effect.gen(function* () {
      const { client, options } = yield* setUp()
      const other = yield* setUp()
      const verdict = yield* Effect.promise(() => client.signature.verify({ hello: "wörld" }))
      assert.include(verdict, { verified: true, code: null })
      const otherPartner = createClient({ ...options, signingKey: other.options.signingKey })
      assert.include(yield* Effect.promise(() => otherPartner.signature.verify({})), {
        verified: false,
        code: "signature_key_unknown"
      })
    })
  )

  it.effect("a refusal is told by its code, with what is needed to act", () =>
    Effect.gen(function* () {
      const { client, url } = yield* setUp(["deposits:read"])
      const scope = yield* Effect.promise(() => thrown(client.depositAddresses.register({ addresses: addresses(1) })))
      assert.deepInclude(scope, { code: "scope_missing", status: 403, detail: { required_scope: "deposits:write" } })
      assert.match((scope as { readonly requestId: string }).requestId, /\S/u)
      const nobody = createClient({ baseUrl: url, apiKey: "bsr_test_aaaaaaaa_no-such-key" })
      assert.include(yield* Effect.promise(() => thrown(nobody.introspection.whoami())), {
        code: "key_invalid",
        status: 401
      })
      const key = yield* Effect.promise(() => thrown(client.introspection.operationByKey("never used")))
      assert.include(key, { code: "no_operation_for_key", status: 404 })
    })
  )

  it.effect("a change under one key happens once, and is answered again", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp()
      const replayed: Array<boolean> = []
      const options = {
        idempotencyKey: "addresses-1",
        onAnswer: (answer: { readonly replayed: boolean }) => void replayed.push(answer.replayed)
      }
      const body = { addresses: addresses(2) }
      const first = yield* Effect.promise(() => client.depositAddresses.register(body, options))
      const again = yield* Effect.promise(() => client.depositAddresses.register(body, options))
      assert.deepStrictEqual(again, first)
      assert.deepStrictEqual(replayed, [false, true])
      const other = { addresses: addresses(1) }
      const reused = yield* Effect.promise(() => thrown(client.depositAddresses.register(other, options)))
      assert.include(reused, { code: "idempotency_key_reused", status: 422, idempotencyKey: "addresses-1" })
      const found = yield* Effect.promise(() => client.introspection.operationByKey("addresses-1"))
      assert.include(found, { state: "COMPLETED", response_status: 200 })
    })
  )

  it.effect("a change whose answer is lost is made once", () =>
    Effect.gen(function* () {
      const { options } = yield* setUp()
      const statuses: Array<number> = []
      const client = createClient({
        ...options,
        retry: { firstDelayMs: 1 },
        fetch: async (...asked) => {
          const response = await fetch(...asked)
          statuses.push(response.status)
          if (statuses.length === 1) throw new TypeError("the connection broke")
          return response
        }
      })
      const replayed: Array<boolean> = []
      const { results } = yield* Effect.promise(() =>
        client.depositAddresses.register(
          { addresses: addresses(1) },
          { onAnswer: (answer) => void replayed.push(answer.replayed) }
        )
      )
      assert.strictEqual(results[0]?.status, "registered", "the first answer, not `existing`")
      assert.deepStrictEqual(statuses, [200, 200])
      assert.deepStrictEqual(replayed, [true])
    })
  )

  it.effect("each turns the pages of addresses and of the register", () =>
    Effect.gen(function* () {
      const { client, seeder, tenant } = yield* setUp()
      const given = addresses(5)
      yield* Effect.promise(() => client.depositAddresses.register({ addresses: given }))
      assert.sameMembers(
        [...(yield* Effect.promise(() => registeredIn(client)))],
        given.map(({ address }) => address)
      )
      for (const units of [1n, 2n, 3n]) {
        yield* seeder.submit(
          tenant,
          adjustFloat({ amount: { units, currency: "ETH" }, against: "custodian", reason: "test" })
        )
      }
      const amounts = yield* Effect.promise(() =>
        collect(client.register.each({ currency: "ETH", limit: 1 }), ({ amount }) => amount.amount)
      )
      assert.deepStrictEqual(amounts, ["0.000000000000000003", "0.000000000000000002", "0.000000000000000001"])
    })
  )

  it.effect("a consumer goes on after a restart where it was", () =>
    Effect.gen(function* () {
      const { client, seeder, state, tenant } = yield* setUp()
      yield* Effect.promise(() => client.depositAddresses.register({ addresses: addresses(1) }))
      const [address] = stored(state, tenant, DepositAddress).values()
      if (address === undefined) return yield* Effect.die(new Error("no address"))
      const arrive = (number: number) =>
        seeder.submit(
          tenant,
          recordIncomingTransfers(
            {
              network: "ethereum",
              requiredConfirmations: 12,
              incomingTransfers: [
                {
                  ...{ network: "ethereum", txHash: `0x${number}`, transferIndex: 0, currency: "ETH", units: 5n },
                  ...{ addressId: address.id, address: address.address, fromAddress: null, confirmations: 1 },
                  keys: [],
                  block: { number, hash: `block-${number}`, time: address.createdAt + 60_000 }
                }
              ]
            },
            defaultCurrencies
          )
        )
      const file = join(yield* Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-client-"))), "cursor")
      const consume = (last: number) => {
        const handled: Array<string> = []
        const controller = new AbortController()
        const consumer = createEventConsumer({
          client,
          store: fileCursorStore(file),
          onEvent: (event) => {
            handled.push(`${event.id} ${event.kind} ${isDepositEvent(event) ? event.data.tx_hash : "?"}`)
            if (event.id === last) controller.abort()
          }
        })
        return Effect.promise(() => consumer.run({ signal: controller.signal }).then(() => handled))
      }
      yield* arrive(1)
      yield* arrive(2)
      assert.deepStrictEqual(yield* consume(2), ["1 deposit.detected 0x1", "2 deposit.detected 0x2"])
      yield* arrive(3)
      const [, last] = yield* Effect.all([arrive(4), consume(4)])
      assert.deepStrictEqual(last, ["3 deposit.detected 0x3", "4 deposit.detected 0x4"])
      const kinds = yield* Effect.promise(() => collect(client.deposits.each({ limit: 3 }), (one) => one.tx_hash))
      assert.deepStrictEqual(kinds, ["0x1", "0x2", "0x3", "0x4"])
      return undefined
    })
  )
})
