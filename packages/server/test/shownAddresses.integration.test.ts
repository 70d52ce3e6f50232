import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { deriveAddress, parseXpub } from "@bursar/evm/Keys"
import type { State } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, layerGranted, setUp as setUpGrants } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"
import { addressOf } from "./support/written.ts"

/** Account m/44'/60'/0' of the mnemonic "abandon × 11 about"; nobody uses it. */
const xpub =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
/** The same of m/44'/195'/0'. */
const thiefsXpub =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"
const thiefs = `0x${"66".repeat(20)}`
const network = "ethereum"
const unverified = [503, "provider_unavailable"]

let keys = 0

/** How a partner talks to the service. */
const partnerOf = Effect.fnUntraced(function* (tenant: TenantId) {
  const { ask, seeder } = yield* Operator
  const key = yield* seeder.key(tenant)
  const post = (path: string, body: unknown, idempotencyKey = `s${(keys += 1)}`) =>
    ask("POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })
  return {
    get: (path: string) => ask("GET", path, { key }),
    post,
    act: (path: string) => ask("POST", path, { key }),
    issue: (count = 3, idempotencyKey?: string) =>
      post("/v1/deposit-addresses/issue", { network, reference: "r", count }, idempotencyKey),
    derive: (idempotencyKey?: string) =>
      post("/v1/deposit-addresses/derive", { network, reference: "d", count: 2 }, idempotencyKey)
  }
})

/** How often a person was called. */
const alarms = Effect.gen(function* () {
  const { operate } = yield* Operator
  const { text } = yield* operate("GET", "/metrics")
  const counts = [...text.matchAll(/^bursar_addresses_forged\S* (?<count>\d+)/gmu)].map(
    ({ groups }) => groups?.["count"]
  )
  return counts.reduce((sum, count) => sum + Number(count), 0)
})

/** Tenants who go by grants: what the account of one of them is was shown to its operators and granted before the first address. */
const granted = Effect.gen(function* () {
  const { ann, approve, bob, propose, state, tenant } = yield* setUpGrants
  const { operate } = yield* Operator
  const account = (of = tenant) => operate("POST", `/operator/v1/tenants/${of}/issuing-accounts`, { body: { network } })
  const grantAccount = Effect.fnUntraced(function* (of = tenant) {
    const { body } = yield* account(of)
    const { account_key, family, seed_id } = body
    const values = { family, seed_id, account_key, state: "ACTIVE" }
    const proposal = yield* propose({ kind: "issuing_account", values }, of)
    assert.strictEqual(proposal.status, 201, proposal.text)
    yield* approve(proposal, ann)
    assert.strictEqual((yield* approve(proposal, bob)).status, 200)
  })
  return { account, ann, approve, grantAccount, propose, state, tenant, partner: yield* partnerOf(tenant) }
})

const change = <A, K>(
  state: State,
  tenant: TenantId,
  of: RecordDefinition<A, K>,
  to: (one: A) => Partial<A>,
  which: (one: A) => boolean = () => true
) => {
  const all = stored(state, tenant, of)
  for (const [key, one] of all) if (which(one)) all.set(key, { ...one, ...to(one) })
}

/** What somebody who writes to the database does to the addresses that were issued. */
const attacks: ReadonlyArray<{
  readonly what: string
  readonly strike: (state: State, tenant: TenantId, others: DepositAddress) => void
}> = [
  {
    what: "changes an address",
    strike: (state, tenant) => change(state, tenant, DepositAddress, () => ({ address: thiefs }))
  },
  {
    what: "changes an index",
    strike: (state, tenant) => change(state, tenant, DepositAddress, () => ({ derivationIndex: 77 }))
  },
  {
    what: "takes the index away",
    strike: (state, tenant) => change(state, tenant, DepositAddress, () => ({ address: thiefs, derivationIndex: null }))
  },
  {
    what: "names another seed",
    strike: (state, tenant) =>
      change(state, tenant, DepositAddress, () => ({ address: thiefs, seedId: "019845e1-682f-4b02-a706-3b2422d13aec" }))
  },
  {
    what: "calls it one that the tenant has registered",
    strike: (state, tenant) =>
      change(state, tenant, DepositAddress, () => ({ address: thiefs, origin: "REGISTERED" as const }))
  },
  {
    what: "calls it one whose key was imported",
    strike: (state, tenant) =>
      change(state, tenant, DepositAddress, () => ({ address: thiefs, origin: "IMPORTED" as const }))
  },
  {
    what: "moves another tenant's address here",
    strike: (state, tenant, { address, derivationIndex, seedId }) =>
      change(state, tenant, DepositAddress, () => ({ address, derivationIndex, seedId }))
  }
]

describe("an issued address is shown to nobody when somebody with the database", () => {
  for (const { strike, what } of attacks) {
    it.live(`${what}: an alarm is raised, and what is honest is shown again once it is mended`, () =>
      Effect.gen(function* () {
        const { grantAccount, partner, state, tenant } = yield* granted
        const { seeder } = yield* Operator
        const other = yield* seeder.tenant()
        const neighbour = yield* partnerOf(other)
        yield* grantAccount()
        yield* grantAccount(other)
        const { body } = yield* partner.issue()
        assert.strictEqual((yield* neighbour.issue(1)).status, 200)
        const honest = [...stored(state, tenant, DepositAddress)]
        const before = yield* partner.get("/v1/deposit-addresses")
        assert.strictEqual(before.body.addresses.length, 3)
        const [others] = stored(state, other, DepositAddress).values()
        if (others === undefined) return assert.fail("the neighbour has no address")
        const calls = yield* alarms
        strike(state, tenant, others)
        const { id } = body.addresses[0]
        for (const answer of [
          yield* partner.get("/v1/deposit-addresses"),
          yield* partner.get("/v1/deposit-addresses?reference=r"),
          yield* partner.act(`/v1/deposit-addresses/${id}/watch-now`),
          yield* partner.act(`/v1/deposit-addresses/${id}/retire`)
        ]) {
          assert.deepStrictEqual(codeOf(answer), unverified)
          assert.notInclude(answer.text, "0x")
        }
        assert.isAtLeast(yield* alarms, calls + 4)
        // nobody else is affected
        assert.strictEqual((yield* neighbour.get("/v1/deposit-addresses")).body.addresses.length, 1)
        for (const [key, one] of honest) stored(state, tenant, DepositAddress).set(key, one)
        assert.deepStrictEqual((yield* partner.get("/v1/deposit-addresses")).body, before.body)
      }).pipe(Effect.provide(layerGranted))
    )
  }

  it.live("changes the account: nothing is issued from it, and what was issued before is still shown", () =>
    Effect.gen(function* () {
      const { grantAccount, partner, state, tenant } = yield* granted
      yield* grantAccount()
      yield* partner.issue(2)
      const before = yield* partner.get("/v1/deposit-addresses")
      change(state, tenant, IssuingAccount, () => ({ accountKey: thiefsXpub }))
      const calls = yield* alarms
      assert.deepStrictEqual(codeOf(yield* partner.issue(1)), unverified)
      assert.strictEqual(yield* alarms, calls + 1)
      assert.deepStrictEqual((yield* partner.get("/v1/deposit-addresses")).body, before.body)
      // changing what was issued with it does not help
      const theirs = parseXpub(thiefsXpub)
      if (theirs._tag === "Failure") return assert.fail("no xpub")
      change(state, tenant, DepositAddress, ({ derivationIndex }) => ({
        address: deriveAddress(theirs.success, derivationIndex ?? 0).toLowerCase()
      }))
      assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified)
    }).pipe(Effect.provide(layerGranted))
  )

  it.live("changes the stored answer of an idempotency key", () =>
    Effect.gen(function* () {
      const { grantAccount, partner, state, tenant } = yield* granted
      yield* grantAccount()
      const { body } = yield* partner.issue(2, "again")
      const [{ address }] = body.addresses
      const honest = stored(state, tenant, IdempotencyRecord).get("again")
      if (honest?.outcome._tag !== "Done") return assert.fail("it was not answered")
      const text = JSON.stringify(honest.outcome.body)
      for (const forged of [
        text.replace(address, thiefs),
        text.replace(address, thiefs).replaceAll("SERVICE_ISSUED", "REGISTERED"),
        text.replace(/"derivation_index":0/u, '"derivation_index":5'),
        JSON.stringify({ addresses: thiefs })
      ]) {
        const outcome = { ...honest.outcome, body: JSON.parse(forged) }
        stored(state, tenant, IdempotencyRecord).set("again", { ...honest, outcome })
        const answer = yield* partner.issue(2, "again")
        assert.deepStrictEqual(codeOf(answer), unverified, forged)
        assert.notInclude(answer.text, "0x")
      }
      stored(state, tenant, IdempotencyRecord).set("again", honest)
      assert.deepStrictEqual((yield* partner.issue(2, "again")).body, body)
      // what a request has named itself comes back as it was named
      const registration = { addresses: [{ network, address: addressOf(900), reference: "mine" }] }
      const first = yield* partner.post("/v1/deposit-addresses", registration, "mine")
      assert.strictEqual(first.status, 200)
      const known = stored(state, tenant, IdempotencyRecord).get("mine")
      if (known?.outcome._tag !== "Done") return assert.fail("it was not answered")
      const other = JSON.parse(JSON.stringify(known.outcome.body).replace(addressOf(900), thiefs))
      stored(state, tenant, IdempotencyRecord).set("mine", { ...known, outcome: { _tag: "Done", body: other } })
      const again = yield* partner.post("/v1/deposit-addresses", registration, "mine")
      assert.deepStrictEqual(codeOf(again), unverified)
    }).pipe(Effect.provide(layerGranted))
  )

  it.live("writes another address into a deposit and its event", () =>
    Effect.gen(function* () {
      const { grantAccount, partner, state, tenant } = yield* granted
      const { seeder } = yield* Operator
      yield* grantAccount()
      const { body } = yield* partner.issue(1)
      const [{ address, id }] = body.addresses
      yield* seeder.submit(
        tenant,
        recordIncomingTransfers(
          {
            network,
            requiredConfirmations: 12,
            incomingTransfers: [
              {
                network,
                txHash: `0x${"ab".repeat(32)}`,
                transferIndex: 0,
                addressId: id,
                address,
                keys: [],
                currency: "ETH",
                units: 5n,
                fromAddress: null,
                block: { number: 7, hash: "0x07", time: 7 },
                confirmations: 1
              }
            ]
          },
          defaultCurrencies
        )
      )
      const deposits = yield* partner.get("/v1/deposits")
      assert.strictEqual(deposits.body.deposits[0].address, address)
      assert.strictEqual((yield* partner.get("/v1/events")).body.events[0].data.address, address)
      // the thief changes every text that names it
      change(state, tenant, Deposit, () => ({ address: thiefs }))
      const tenantState = state.tenants.get(tenant)
      if (tenantState === undefined) return assert.fail("no tenant")
      for (const [index, event] of tenantState.events.entries())
        (tenantState.events as Array<typeof event>)[index] = { ...event, data: { ...event.data, address: thiefs } }
      for (const path of ["/v1/deposits", "/v1/events"]) {
        const answer = yield* partner.get(path)
        assert.deepStrictEqual(codeOf(answer), unverified, path)
        assert.notInclude(answer.text, thiefs)
      }
    }).pipe(Effect.provide(layerGranted))
  )
})

describe("what was verified once", () => {
  it.live("vouches for nothing else: no text that a thief can write stands for another address", () =>
    Effect.gen(function* () {
      const { grantAccount, partner, state, tenant } = yield* granted
      yield* grantAccount()
      const { body } = yield* partner.issue(1)
      const [{ id, seed_id }] = body.addresses
      const [issued] = stored(state, tenant, DepositAddress).values()
      if (issued === undefined) return assert.fail("nothing was issued")
      const { seeder } = yield* Operator
      yield* seeder.submit(
        tenant,
        recordIncomingTransfers(
          {
            network,
            requiredConfirmations: 12,
            incomingTransfers: [
              {
                network,
                txHash: `0x${"cd".repeat(32)}`,
                transferIndex: 0,
                addressId: id,
                address: issued.address,
                keys: [],
                currency: "ETH",
                units: 5n,
                fromAddress: null,
                block: { number: 7, hash: "0x07", time: 7 },
                confirmations: 1
              }
            ]
          },
          defaultCurrencies
        )
      )
      // an address that nobody has to prove is written so that it reads like the thief's at the index of the honest one
      const poison = `${thiefs}|ISSUED|${seed_id}||0`
      const registered = { ...issued, id: "poison", address: poison, origin: "REGISTERED" as const }
      stored(state, tenant, DepositAddress).set("poison", {
        ...registered,
        seedId: null,
        xpubId: null,
        derivationIndex: null
      })
      change(state, tenant, Deposit, () => ({ address: poison }))
      yield* partner.get("/v1/deposits")
      stored(state, tenant, DepositAddress).delete("poison")
      change(state, tenant, DepositAddress, () => ({ address: thiefs }))
      assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified)
    }).pipe(Effect.provide(layerGranted))
  )
})

describe("a service that goes by grants", () => {
  it.live("issues nothing from an account that nobody has granted, and shows operators what to grant", () =>
    Effect.gen(function* () {
      const { account, ann, approve, grantAccount, partner, propose, state, tenant } = yield* granted
      assert.deepStrictEqual(codeOf(yield* partner.issue(1, "first")), [403, "product_not_enabled"])
      assert.strictEqual(stored(state, tenant, DepositAddress).size, 0)
      const { body: shown } = yield* account()
      assert.deepInclude(shown, { family: "evm", next_index: 0, granted: false })
      assert.strictEqual(stored(state, tenant, IssuingAccount).size, 0)
      yield* grantAccount()
      assert.isTrue((yield* account()).body.granted)
      const issued = yield* partner.issue(1, "first")
      assert.strictEqual(issued.status, 200, issued.text)
      assert.strictEqual(issued.body.seed_id, shown.seed_id)
      assert.strictEqual((yield* account()).body.next_index, 1)
      // one person revokes it: nobody is shown what follows from it
      const { account_key, family, seed_id } = shown
      const revoked = { family, seed_id, account_key, state: "REVOKED" }
      yield* approve(yield* propose({ kind: "issuing_account", values: revoked }), ann)
      assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified)
    }).pipe(Effect.provide(layerGranted))
  )
})

describe("addresses on a network that was taken out of the configuration", () => {
  it.live("are shown with the others, if they follow from the account still", () =>
    Effect.gen(function* () {
      const { grantAccount, partner, state, tenant } = yield* granted
      yield* grantAccount()
      assert.strictEqual((yield* partner.issue(3)).status, 200)
      const own = `0x${"ab".repeat(20)}`
      const registered = { network, address: own, reference: "own" }
      assert.strictEqual((yield* partner.post("/v1/deposit-addresses", { addresses: [registered] })).status, 200)
      const calls = yield* alarms
      const all = [...stored(state, tenant, DepositAddress).values()]
      const gone = all.filter(({ derivationIndex, origin }) => derivationIndex === 0 || origin === "REGISTERED")
      change(
        state,
        tenant,
        DepositAddress,
        () => ({ network: "gone" }),
        ({ id }) => gone.some((one) => one.id === id)
      )
      const listed = yield* partner.get("/v1/deposit-addresses")
      assert.strictEqual(listed.status, 200, listed.text)
      const there: ReadonlyArray<Record<string, unknown>> = listed.body.addresses
      assert.strictEqual(there.length, 4)
      for (const one of there.filter((each) => each["network"] === "gone"))
        assert.deepStrictEqual([one["watched_networks"], one["sweeps_enabled"] === true], [[], false])
      assert.strictEqual(yield* alarms, calls)
      // it is no way around what is granted
      change(
        state,
        tenant,
        DepositAddress,
        () => ({ address: thiefs }),
        (one) => one.network === "gone" && one.origin === "ISSUED"
      )
      assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified)
    }).pipe(Effect.provide(layerGranted))
  )
})

describe("a service that has no root of grants", () => {
  it.live("compares what it issued with the stored account, and what was derived with the tenant's own key", () =>
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const tenant = yield* seeder.tenant()
      const partner = yield* partnerOf(tenant)
      const registered = { network, xpub, index_from: 0, index_to: 99 }
      assert.strictEqual((yield* partner.post("/v1/deposit-xpubs", registered)).status, 200)
      const derived = yield* partner.derive("derived")
      assert.strictEqual(derived.status, 200, derived.text)
      assert.strictEqual((yield* partner.issue(1)).status, 200)
      const body = { network }
      const { body: account } = yield* operate("POST", `/operator/v1/tenants/${tenant}/issuing-accounts`, { body })
      assert.deepInclude(account, { next_index: 1, granted: null })
      const honest = [...stored(state, tenant, DepositAddress)]
      assert.strictEqual((yield* partner.get("/v1/deposit-addresses")).body.addresses.length, 3)
      for (const origin of ["ISSUED", "DERIVED"]) {
        const calls = yield* alarms
        const isOne = (one: DepositAddress) => one.origin === origin
        change(state, tenant, DepositAddress, () => ({ address: thiefs }), isOne)
        assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified, origin)
        assert.strictEqual(yield* alarms, calls + 1)
        for (const [key, one] of honest) stored(state, tenant, DepositAddress).set(key, one)
        change(state, tenant, DepositAddress, () => ({ derivationIndex: 50 }), isOne)
        assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified, origin)
        for (const [key, one] of honest) stored(state, tenant, DepositAddress).set(key, one)
      }
      change(
        state,
        tenant,
        DepositAddress,
        () => ({ xpubId: "gone" }),
        ({ origin }) => origin === "DERIVED"
      )
      assert.deepStrictEqual(codeOf(yield* partner.get("/v1/deposit-addresses")), unverified)
      const known = stored(state, tenant, IdempotencyRecord).get("derived")
      if (known?.outcome._tag !== "Done") return assert.fail("it was not answered")
      const other = JSON.parse(JSON.stringify(known.outcome.body).replace(derived.body.addresses[0].address, thiefs))
      stored(state, tenant, IdempotencyRecord).set("derived", { ...known, outcome: { _tag: "Done", body: other } })
      assert.deepStrictEqual(codeOf(yield* partner.derive("derived")), unverified)
    }).pipe(Effect.provide(Operator.layer))
  )
})
