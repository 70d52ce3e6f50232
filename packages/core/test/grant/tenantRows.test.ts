import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord } from "@bursar/core/engine/Records"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Grants } from "@bursar/core/grant/Grants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { readTenantRows } from "@bursar/core/grant/tenantRows"
import { verifyAll } from "@bursar/core/grant/verifyAll"
import { GrantChainBroken, type GrantEntry } from "@bursar/core/grant/verifyChain"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { Vault, VaultError } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { grantTenant, testApprover } from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { store, submit } from "../transfer/world.ts"
import { signingKey, world } from "./chain.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const text = (publicKey: Uint8Array): string => new TextDecoder().decode(publicKey)

/** A vault of one seed and one key in a custody: the public side of a key says which it is. */
const vault = Layer.mock(Vault, {
  publicKey: (key) => {
    if (key._tag === "Wallet" && key.seedId === "seed") return Effect.succeed(bytes(`${key.network}/${key.index}`))
    if (key._tag === "Custodied" && key.custody === "pkcs11") return Effect.succeed(bytes(`pkcs11/${key.keyId}`))
    return Effect.fail(new VaultError({ doing: "open the seed", reason: "there is none" }))
  },
  publicAccount: (_tenant, seedId, network) =>
    seedId === "seed"
      ? Effect.succeed(network === "stellar" ? "ab" : `xpub ${network}`)
      : Effect.fail(new VaultError({ doing: "open the seed", reason: "there is none" }))
})

const keys = { addressesOf: (publicKey: Uint8Array) => [`address of ${text(publicKey)}`] }

const networks = layerFakeNetworks([
  makeFakeNetwork("ethereum", { keys }),
  makeFakeNetwork("stellar", { keys: { addressesOf: (publicKey) => [`G${publicKey.join()}`] } })
])

const wallet = (id: string, more: Partial<PayoutWallet>): PayoutWallet => ({
  id,
  network: "ethereum",
  role: "PAYOUT",
  address: id,
  seedId: "seed",
  custodied: null,
  index: 0,
  nextSequence: null,
  nextSalt: 1,
  openTransactions: 0,
  committed: [],
  createdAt: 0,
  ...more
})

const put = (
  tenantId: TenantId,
  wallets: ReadonlyArray<PayoutWallet>,
  accounts: ReadonlyArray<Pick<IssuingAccount, "accountKey" | "family" | "seedId">>
): Command<null> => ({
  name: "Put",
  reads: [],
  decide: () =>
    Result.succeed({
      changes: [
        ...wallets.map((one) => putRecord(PayoutWallet, one)),
        ...accounts.map((one) => putRecord(IssuingAccount, { ...one, tenantId, nextIndex: 0, createdAt: 0 }))
      ],
      reply: null
    })
})

/** What is doubtful of a tenant whose rows are these, by address or account. */
const doubtful = Effect.fnUntraced(function* (
  wallets: ReadonlyArray<PayoutWallet>,
  accounts: ReadonlyArray<Pick<IssuingAccount, "accountKey" | "family" | "seedId">> = []
) {
  const tenant = yield* newTenant()
  yield* submit(tenant.id, put(tenant.id, wallets, accounts))
  const rows = yield* readTenantRows(tenant)
  assert.strictEqual(rows.tenant, tenant)
  assert.lengthOf(rows.wallets, wallets.length)
  assert.lengthOf(rows.issuingAccounts, accounts.length)
  return Object.fromEntries(rows.doubtful)
})

const services = Layer.mergeAll(store, vault, networks)

const strange = "it is not that of the key that its row names"
const unchecked = "its network is off, so that its key cannot be looked at"
const unopened = "the vault could not open the seed: there is none"

describe("the rows of a tenant that grants are to speak of", () => {
  it.effect("are doubtful where a wallet's address is not that of its key, or nobody can look", () =>
    Effect.gen(function* () {
      const found = yield* doubtful([
        wallet("1", { address: "address of ethereum/0" }),
        wallet("2", { address: "address of ethereum/7", index: 7 }),
        wallet("3", { address: "address of pkcs11/k", seedId: null, custodied: { custody: "pkcs11", keyId: "k" } }),
        wallet("4", { address: "address of ethereum/1", index: 2 }),
        wallet("5", { address: "0xthief" }),
        wallet("6", { address: "0xnobodys", seedId: null }),
        wallet("7", { address: "0xoff", network: "base" }),
        wallet("8", { address: "0xother", seedId: "another" }),
        wallet("9", { address: "0xlost", seedId: null, custodied: { custody: "none", keyId: "k" } })
      ])
      assert.deepStrictEqual(found, {
        "address of ethereum/1": strange,
        "0xthief": strange,
        "0xnobodys": strange,
        "0xoff": unchecked,
        "0xother": unopened,
        "0xlost": unopened
      })
    }).pipe(Effect.provide(services))
  )

  it.effect("are doubtful where an account that addresses are issued from is not that of its seed", () =>
    Effect.gen(function* () {
      const evm = presetNetworks.of("ethereum").family
      const { family: stellar } = presetNetworks.of("stellar")
      const { family: bitcoin } = presetNetworks.of("bitcoin")
      assert.deepStrictEqual(
        yield* doubtful(
          [],
          [
            { family: evm, accountKey: "xpub ethereum", seedId: "seed" },
            { family: stellar, accountKey: "G171", seedId: "seed" }
          ]
        ),
        {}
      )
      assert.deepStrictEqual(
        yield* doubtful(
          [],
          [
            { family: evm, accountKey: "xpub thief", seedId: "seed" },
            { family: stellar, accountKey: "ab", seedId: "seed" },
            { family: bitcoin, accountKey: "xpub bitcoin", seedId: "seed" }
          ]
        ),
        { "xpub thief": strange, ab: strange, "xpub bitcoin": unchecked }
      )
      const others = yield* doubtful([], [{ family: evm, accountKey: "xpub ethereum", seedId: "another" }])
      assert.deepStrictEqual(others, { "xpub ethereum": unopened })
    }).pipe(Effect.provide(services))
  )
})

/** The chains of a world as they are stored. */
const stored = (entries: { readonly fleet: ReadonlyArray<GrantEntry>; readonly tenant: ReadonlyArray<GrantEntry> }) =>
  GrantStore.of({
    after: (chain, number, limit) =>
      Effect.succeed(
        (chain === null ? entries.fleet : chain === grantTenant ? entries.tenant : [])
          .slice(number, number + limit)
          .map((entry, at) => ({ ...entry, number: number + at + 1, hash: "", proposalId: null }))
      ),
    ends: Effect.succeed([]),
    proposals: () => Effect.succeed([]),
    proposal: () => Effect.succeed(undefined)
  })

describe("chains that are verified anew", () => {
  it.effect("are reported with their ends, or with why they do not hold; without the fleet's none does", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const { ann, bob, cleo } = all
      const [dan] = [yield* testApprover("dan", 4)]
      const set = (people: ReadonlyArray<typeof ann>) => ({
        approvers: people.map(({ approver }) => approver),
        quorum: "2",
        quorums: {}
      })
      const [empty] = [yield* Effect.provide(newTenant(), store)]
      const report = (entries = all.entries) =>
        verifyAll(all.trust, stored(entries), [{ id: grantTenant }, { id: empty.id }])
      yield* all.grant("signing_key", signingKey, [ann, bob])
      const { fleet, tenant } = all.chain()
      assert.deepStrictEqual(yield* report(), [
        { tenantId: null, head: fleet.head, adopted: true, problem: null },
        { tenantId: grantTenant, head: tenant.head, adopted: true, problem: null },
        {
          tenantId: empty.id,
          head: { number: 0, hash: (yield* report())[2]?.head?.hash ?? "" },
          adopted: true,
          problem: null
        }
      ])
      const cut = { ...all.entries, tenant: [{ ...(all.entries.tenant[0] ?? assert.fail("no grant")), approvals: [] }] }
      const [, broken, other] = yield* report(cut)
      assert.deepInclude(broken, { tenantId: grantTenant, head: null, adopted: false })
      assert.match(broken?.problem ?? "", /grant 1 of .* does not hold/u)
      assert.isNull(other?.problem, "the others stand")
      yield* all.grant("approvers", set([ann, bob, cleo, dan]), [ann, bob])
      yield* all.grant("approvers", set([bob, cleo, dan]), [bob])
      assert.deepInclude((yield* report())[1], { adopted: false, problem: null })
      const without = { ...all.entries, fleet: all.entries.fleet.map((one) => ({ ...one, approvals: [] })) }
      for (const one of yield* report(without)) {
        assert.deepInclude(one, { head: null, adopted: false })
        assert.isNotNull(one.problem)
      }
    })
  )

  it.effect("have a fault of their own where a row cannot even be read, and the others stand", () =>
    Effect.gen(function* () {
      const { trust } = yield* world()
      const { id } = yield* Effect.provide(newTenant(), store)
      const problems = Effect.fnUntraced(function* (unreadable: TenantId | null) {
        const rows = stored({ fleet: [], tenant: [] })
        const after: typeof rows.after = (chain, number, limit) =>
          chain === unreadable ? Effect.die(new SyntaxError("no JSON")) : rows.after(chain, number, limit)
        const reports = yield* verifyAll(trust, { ...rows, after }, [{ id: grantTenant }, { id }])
        return reports.map(({ problem }) => problem?.includes("its row cannot be read") ?? false)
      })
      assert.deepStrictEqual(yield* problems(grantTenant), [false, true, false])
      assert.deepStrictEqual(yield* problems(null), [true, true, true])
    })
  )
})

describe("what grants say of a tenant", () => {
  it.effect("is nothing where a process has no root, the chains where they hold, and why they do not", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* rulingOf(grantTenant))
      const { chain, trust } = yield* world()
      const by = (stateOf: Grants["Service"]["stateOf"]) =>
        Effect.provideService(rulingOf(grantTenant), Grants, {
          trust,
          fleet: Effect.succeed(chain().fleet),
          stateOf
        })
      const chains = chain()
      assert.strictEqual(yield* by(() => Effect.succeed(chains)), chains)
      const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it was cut" })
      assert.strictEqual(yield* by(() => Effect.fail(broken)), broken)
    })
  )
})
