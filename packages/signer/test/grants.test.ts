import { addApiKey } from "@bursar/core/access/tenantCommands"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { type KeyedAddress, SigningRefused } from "@bursar/core/port/TransactionSigner"
import { Vault } from "@bursar/core/port/Vault"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, References } from "effect"
import { constants, publicEncrypt, randomBytes } from "node:crypto"
import {
  type Chains,
  contract,
  folder,
  grantedPartner,
  keyValues,
  newPartner,
  openChains,
  openChainsFrom,
  openSigner,
  type OpenSigner,
  type Partner,
  pay,
  payAsked,
  requester,
  restored,
  rollbackSeen,
  services,
  walletValues
} from "./support/grantedWorld.ts"

const refusal = <A>(effect: Effect.Effect<A, unknown>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof SigningRefused ? error.reason : assert.fail(`it is no refusal: ${String(error)}`)
  )

/** An address whose key somebody keeps and has the vault import: the key that wraps it is public. */
const importedBy = Effect.fnUntraced(function* ({ id: tenantId }: Partner) {
  const { importKey, wrappingKey } = yield* Vault
  const keyId = crypto.randomUUID()
  const { publicKey: key } = yield* wrappingKey(tenantId)
  const oaep = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }
  const bytes = Uint8Array.from(publicEncrypt(oaep, randomBytes(32)))
  const imported = yield* importKey({ tenantId, keyId, network: "ethereum", algorithm: "RSA-OAEP-SHA256", bytes })
  const { putFirst } = yield* KeyStore
  yield* putFirst({ tenantId, id: keyId, kind: "IMPORTED", sealed: imported.sealed, createdAt: 1 })
  return {
    address: Buffer.from(imported.publicKey).toString("hex"),
    key: { _tag: "Imported", tenantId, keyId, network: "ethereum" }
  } satisfies KeyedAddress
})

/** Chains with two tenants to which everything is granted, and a signer that has paid for both. */
const settled = Effect.gen(function* () {
  const chains = yield* openChains
  const directory = yield* folder
  const [one, other] = [yield* grantedPartner(chains), yield* grantedPartner(chains)]
  const signer = yield* openSigner(chains, directory)
  yield* payAsked(signer, one)
  yield* payAsked(signer, other)
  return { chains, directory, one, other, signer }
})

/** Replaces the last row of a chain. */
const swapLast = (chains: Chains, id: TenantId | null, more: Partial<ReturnType<Chains["rowsOf"]>[number]>) => {
  const last = chains.rowsOf(id).pop()
  if (last === undefined) return assert.fail("the chain is empty")
  return chains.rowsOf(id).push({ ...last, ...more })
}

describe("a signer that believes grants", () => {
  it.live("does not believe a signing key that somebody wrote into the database, and signs for others", () =>
    Effect.gen(function* () {
      const { one, other, signer } = yield* settled
      const thief = yield* requester
      const writer = yield* Writer
      const apiKey = yield* writer.submit(one.id, addApiKey(apiKeyFields()))
      const row = { apiKeyId: apiKey.id, keyid: thief.keyid, publicKey: thief.publicKey }
      yield* writer.submit(one.id, addSigningKey(row))
      const forged = yield* thief.request("thief")
      const attempt = { to: "thief", requests: [forged] }
      assert.match(yield* refusal(pay(signer, one, attempt)), /no active signing key/u)
      // an operator's approval of the operation is a row, too
      const approved = { to: "thief", requests: [{ ...forged, approvedAt: Date.now() }] }
      assert.match(yield* refusal(pay(signer, one, approved)), /no active signing key/u)
      // nor does the name of a key that is granted help
      const named = { to: "thief", requests: [{ ...forged, keyid: one.keyid }] }
      assert.match(yield* refusal(pay(signer, one, named)), /does not verify/u)
      yield* payAsked(signer, one)
      yield* payAsked(signer, other)
    }).pipe(Effect.provide(WriterLive.layer), Effect.provide(services))
  )

  it.live("signs for keys that are granted alone, and no more once a grant revokes them", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const before = yield* one.request("receiver")
      yield* chains.grant(one.id, "signing_key", keyValues(one, "REVOKED"), [chains.ann])
      assert.match(yield* refusal(payAsked(signer, one)), /no active signing key/u)
      const late = { to: "receiver", requests: [{ ...before, approvedAt: Date.now() + 60_000 }] }
      assert.match(yield* refusal(pay(signer, one, late)), /no active signing key/u)
      yield* payAsked(signer, other)
    }).pipe(Effect.provide(services))
  )

  it.live("looks once for all who ask meanwhile, after the last of them has asked", () =>
    Effect.gen(function* () {
      const { chains, directory, one } = yield* Effect.scoped(settled)
      const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let looks = 0
      const after: Chains["store"]["after"] = (chain, number, limit) => {
        if (chain === one.id) looks += 1
        const read = chains.store.after(chain, number, limit)
        return chain === one.id && looks === 1
          ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(release), read))
          : read
      }
      const signer = yield* openSigner({ ...chains, store: { ...chains.store, after } }, directory)
      const asking = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () =>
          Effect.forkChild(Effect.exit(payAsked(signer, one)), { startImmediately: true })
        )
      const first = yield* asking(1)
      yield* Deferred.await(begun)
      const second = yield* asking(7)
      // who leaves takes the look from nobody
      yield* Effect.forEach(second.slice(0, 2), Fiber.interrupt)
      const third = yield* asking(1)
      yield* chains.grant(one.id, "signing_key", keyValues(one, "REVOKED"), [chains.ann])
      yield* Deferred.succeed(release, undefined)
      for (const fiber of [...first, ...second.slice(2), ...third]) {
        const exit = yield* Fiber.join(fiber)
        if (Exit.isFailure(exit)) assert.match(String(exit.cause), /no active signing key/u)
        else assert.fail("a revoked key signed")
      }
      assert.strictEqual(looks, 2)
    }).pipe(Effect.provide(services))
  )

  it.live("keeps the limits that are granted from the next payment on", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const limit = { currency: "USDT_ETH", per_payment: null, per_hour: null, per_day: "25000000" } as const
      yield* chains.grant(one.id, "currency_limit", limit, [chains.ann])
      yield* payAsked(signer, one)
      assert.match(yield* refusal(payAsked(signer, one)), /25000000 base units per day; 25000000 were signed/u)
      yield* payAsked(signer, other)
      yield* chains.grant(one.id, "currency_limit", { ...limit, per_day: null })
      yield* payAsked(signer, one)
      yield* chains.grant(one.id, "currency_limit", { ...limit, per_day: null, per_payment: "12499999" }, [chains.bob])
      assert.match(yield* refusal(payAsked(signer, one)), /12499999 base units per payment/u)
    }).pipe(Effect.provide(services))
  )

  it.live("says once of a granted limit that no currency of a chain has its name", () => {
    const said: Array<unknown> = []
    const logger = Logger.make(({ fiber, message }) => {
      if (String(message) === "signer.limit_of_nothing") said.push(fiber.getRef(References.CurrentLogAnnotations))
    })
    return Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const limit = { per_payment: "1", per_hour: null, per_day: null } as const
      yield* chains.grant(one.id, "currency_limit", { ...limit, currency: "usdt_eth" }, [chains.ann])
      yield* payAsked(signer, one)
      yield* payAsked(signer, one)
      assert.deepStrictEqual(said, [{ tenantId: one.id, currency: "usdt_eth" }])
    }).pipe(Effect.provide([services, Logger.layer([logger])]))
  })

  it.live(
    "starts by a root with a quorum of no kind, which can never change, and says so until other approvers are granted",
    () => {
      const said: Array<unknown> = []
      const logger = Logger.make(({ fiber, message }) => {
        if (String(message) === "signer.quorum_of_nothing") said.push(fiber.getRef(References.CurrentLogAnnotations))
      })
      return Effect.gen(function* () {
        const chains = yield* openChainsFrom({ destinations: "2" })
        const directory = yield* folder
        const one = yield* grantedPartner(chains)
        const look = (times: number) =>
          Effect.scoped(
            Effect.gen(function* () {
              const signer = yield* openSigner(chains, directory)
              for (let time = 0; time < times; time++) yield* signer.lookAtFleet
              yield* payAsked(signer, one)
            })
          )
        yield* look(2)
        assert.deepStrictEqual(said, [{ kind: "destinations", people: "2" }])
        yield* chains.grant(one.id, "approvers", { ...chains.trust.root, quorums: { destination: "2" } })
        yield* look(1)
        assert.lengthOf(said, 1)
      }).pipe(Effect.provide([services, Logger.layer([logger])]))
    }
  )

  it.live("does not bring back what a revoked key had signed when it is granted again for another API key", () =>
    Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const before = yield* one.request("receiver", Date.now() - 600_000)
      yield* chains.grant(one.id, "signing_key", keyValues(one, "REVOKED"), [chains.ann])
      yield* chains.grant(one.id, "signing_key", { ...keyValues(one), api_key_id: "another" })
      assert.match(yield* refusal(pay(signer, one, { to: "receiver", requests: [before] })), /no active signing key/u)
      yield* payAsked(signer, one)
    }).pipe(Effect.provide(services))
  )

  it.live("pays the tenant's own keys only where they are granted wallets, or a little coin for fees", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const [second, issued] = [yield* one.keyed("Wallet", 1), yield* one.keyed("Issued", 0)]
      const sweep = (to: typeof second, coin?: null) =>
        pay(signer, one, { to: to.address, own: [to], ...(coin === null ? { contract: coin, units: 1n } : {}) })
      yield* sweep(one.wallet)
      assert.match(yield* refusal(sweep(second)), /is no wallet that was granted/u)
      assert.match(yield* refusal(sweep(second, null)), /is no wallet that was granted/u)
      yield* sweep(issued, null)
      assert.match(yield* refusal(sweep(issued)), /none of the tenant's wallets/u)
      // said to be a wallet as well: the claim is false, and changes nothing
      const both = [issued, { ...issued, key: second.key }]
      assert.match(
        yield* refusal(pay(signer, one, { to: issued.address, own: both, contract: null, units: 10n ** 18n })),
        /at most/u
      )
      // another tenant's wallet, and an address of nobody
      for (const address of [other.wallet.address, "thief"]) {
        const own = [{ address, key: one.wallet.key }]
        assert.match(yield* refusal(pay(signer, one, { to: address, own })), /^nobody asked|pays 1 others/u)
      }
      yield* chains.grant(one.id, "payout_wallet", walletValues(second))
      yield* sweep(second)
      yield* chains.grant(one.id, "payout_wallet", walletValues(second, "REVOKED"), [chains.bob])
      assert.match(yield* refusal(sweep(second)), /is no wallet that was granted/u)
    }).pipe(Effect.provide(services))
  )

  it.live("lets nothing leave of whom a grant suspends, stops or gives no policy, but lets a wallet pay itself", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const { ann, grant } = chains
      const suspended = (on: boolean) => ({ suspended: on, reason: "Asked for." })
      yield* grant(one.id, "suspension", suspended(true), [ann])
      assert.match(yield* refusal(payAsked(signer, one)), /suspended by a grant/u)
      // what replaces a payment that must not happen goes to the wallet itself
      yield* pay(signer, one, { to: one.wallet.address, contract: null, units: 0n })
      yield* payAsked(signer, other)
      yield* grant(one.id, "suspension", suspended(false))
      yield* payAsked(signer, one)

      for (const [policy, reason] of [
        [{ payoutsEnabled: false }, /has chain payouts off/u],
        [{ payoutsOffOn: ["ethereum"] }, /chain payouts on ethereum off/u],
        [{ payoutLimitUsd: "0" }, /a limit of 0/u],
        [{ payoutDailyLimitUsd: "0" }, /a limit of 0/u]
      ] as const) {
        yield* grant(one.id, "policy", policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } }))
        assert.match(yield* refusal(payAsked(signer, one)), reason)
      }
      const bare = yield* newPartner
      assert.match(yield* refusal(payAsked(signer, bare)), /no policy was granted/u)
      assert.match(
        yield* refusal(pay(signer, bare, { to: bare.wallet.address, contract })),
        /is no wallet that was granted/u
      )
      yield* grant(bare.id, "policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }))
      assert.match(yield* refusal(payAsked(signer, bare)), /is SANDBOX by its grants, and ethereum is LIVE/u)

      yield* grant(other.id, "network", { network: "ethereum", stopped: true, reason: "A reorg." }, [ann])
      assert.match(yield* refusal(payAsked(signer, other)), /ethereum is stopped by a grant/u)
    }).pipe(Effect.provide(services))
  )

  it.live(
    "gives no coin to an address whose key somebody outside may have, once a grant suspends the tenant or stops the network",
    () =>
      Effect.gen(function* () {
        const { chains, one, other, signer } = yield* settled
        for (const [partner, kind, values] of [
          [one, "suspension", { suspended: true, reason: "The worker was broken into." }],
          [other, "network", { network: "ethereum", stopped: true, reason: "Incident 7" }]
        ] as const) {
          const [thief, issued] = [yield* importedBy(partner), yield* partner.keyed("Issued", 0)]
          const give = (to: KeyedAddress) =>
            pay(signer, partner, { to: to.address, contract: null, units: 1n, own: [to] })
          yield* give(thief)
          yield* chains.grant(partner.id, kind, values, [chains.ann])
          assert.match(yield* refusal(give(thief)), /by a grant/u)
          // no key of an issued address is outside
          yield* give(issued)
        }
      }).pipe(Effect.provide(services))
  )

  it.live("signs nothing for a tenant whose chain has not taken note that an approver was removed", () =>
    Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const { ann, bob, cleo, grant, remove } = chains
      yield* remove(one.id, cleo, ann)
      assert.match(yield* refusal(payAsked(signer, one)), /an adoption must be approved/u)
      yield* grant(one.id, "adoption", {}, [ann, bob])
      yield* payAsked(signer, one)
      yield* grant(one.id, "suspension", { suspended: true, reason: "" }, [bob])
      assert.match(yield* refusal(payAsked(signer, one)), /suspended/u)
    }).pipe(Effect.provide(services))
  )

  it.live("believes nothing that keys of a removed approver added after, and forgets it when it is taken out", () =>
    Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const { ann, bob, cleo, grant, remove } = chains
      yield* remove(one.id, cleo, ann)
      const honest = [...chains.rowsOf(one.id)]
      // ann's key is stolen as well, and not missed yet
      const thief = yield* requester
      const stolen = [ann, cleo]
      yield* grant(one.id, "signing_key", keyValues(thief), stolen, 0)
      yield* grant(one.id, "payout_wallet", { ...walletValues(one.wallet), address: "thief" }, stolen, 0)
      const theft = Effect.flatMap(thief.request("thief"), (request) =>
        pay(signer, one, { to: "thief", requests: [request] })
      )
      assert.match(yield* refusal(theft), /an adoption must be approved/u)
      // nor is what they add believed once one person has written after it
      yield* grant(one.id, "signing_key", keyValues(one, "REVOKED"), [ann])
      assert.match(yield* refusal(theft), /an adoption must be approved/u)
      for (const by of [[], [ann], stolen]) {
        const thieves = [...chains.rowsOf(one.id)]
        yield* Effect.ignore(grant(one.id, "adoption", {}, by))
        assert.match(yield* refusal(theft), /an adoption must be approved|does not hold/u)
        chains.set(one.id, thieves)
      }
      // the signer kept nothing of it: the chain is what it was
      chains.set(one.id, honest)
      yield* grant(one.id, "adoption", {}, [ann, bob])
      yield* payAsked(signer, one)
      assert.match(yield* refusal(theft), /no active signing key/u)
    }).pipe(Effect.provide(services))
  )

  it.live("believes no chain that they begin for a tenant that has none", () =>
    Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const { ann, bob, cleo, grant, remove } = chains
      yield* remove(one.id, cleo, ann)
      const bare = yield* newPartner
      for (const [kind, values] of [
        ["policy", policyValues({ kind: "LIVE", policy: defaultPolicy })],
        ["signing_key", keyValues(bare)],
        ["payout_wallet", walletValues(bare.wallet)]
      ] as const)
        yield* grant(bare.id, kind, values, [ann, cleo], 0)
      assert.match(yield* refusal(payAsked(signer, bare)), /an adoption must be approved/u)
      chains.set(bare.id, [])
      yield* grant(bare.id, "policy", policyValues({ kind: "LIVE", policy: defaultPolicy }))
      yield* grant(bare.id, "signing_key", keyValues(bare), [ann, bob])
      yield* grant(bare.id, "payout_wallet", walletValues(bare.wallet))
      yield* payAsked(signer, bare)
    }).pipe(Effect.provide(services))
  )
})

describe("a signer that remembers where chains of grants ended", () => {
  const cut = (chains: Chains, id: TenantId | null) => chains.rowsOf(id).splice(-1, 1)

  it.live("signs nothing by a chain that was cut, also after a restart, until it is whole again", () =>
    Effect.gen(function* () {
      const chains = yield* openChains
      const directory = yield* folder
      const [one, other] = [yield* grantedPartner(chains), yield* grantedPartner(chains)]
      const run = <A, E, R>(use: (signer: Effect.Success<ReturnType<typeof openSigner>>) => Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.flatMap(openSigner(chains, directory), use))
      yield* chains.grant(one.id, "suspension", { suspended: true, reason: "Asked for." }, [chains.ann])
      const whole = [...chains.rowsOf(one.id)]
      yield* run((signer) =>
        Effect.gen(function* () {
          assert.match(yield* refusal(payAsked(signer, one)), /suspended/u)
          cut(chains, one.id)
          assert.match(yield* refusal(payAsked(signer, one)), /\(cut\).*cut, rolled back or rewritten/u)
          yield* payAsked(signer, other)
        })
      )
      yield* run((signer) =>
        Effect.gen(function* () {
          assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)
          yield* payAsked(signer, other)
          // another grant in the place of the one that was cut off, by the same people
          yield* chains.grant(one.id, "signing_key", keyValues(yield* requester))
          assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)
          chains.set(one.id, [])
          assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)
          chains.set(one.id, whole)
          assert.match(yield* refusal(payAsked(signer, one)), /suspended/u)
        })
      )
    }).pipe(Effect.provide(services))
  )

  it.live("goes on from a chain that was restored by a person's word, and believes no other end after that", () =>
    Effect.gen(function* () {
      const chains = yield* openChains
      const directory = yield* folder
      const one = yield* grantedPartner(chains)
      const run = <A, E, R>(use: (signer: OpenSigner) => Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.flatMap(openSigner(chains, directory), use))
      yield* chains.grant(one.id, "suspension", { suspended: true, reason: "Asked for." }, [chains.ann])
      yield* run((signer) => Effect.map(refusal(payAsked(signer, one)), (reason) => assert.match(reason, /suspended/u)))
      cut(chains, one.id)
      yield* run((signer) => Effect.map(refusal(payAsked(signer, one)), (reason) => assert.match(reason, /\(cut\)/u)))
      assert.isTrue(yield* restored(chains, directory))
      const rows = cut(chains, one.id)
      yield* run((signer) => Effect.map(refusal(payAsked(signer, one)), (reason) => assert.match(reason, /\(cut\)/u)))
      chains.rowsOf(one.id).push(...rows)
      yield* run((signer) => payAsked(signer, one))
      cut(chains, one.id)
      yield* run((signer) => Effect.map(refusal(payAsked(signer, one)), (reason) => assert.match(reason, /\(cut\)/u)))
    }).pipe(Effect.provide(services))
  )

  it.live("shows at the start that the database was rolled back where a chain is shorter than it was", () =>
    Effect.gen(function* () {
      const chains = yield* openChains
      const directory = yield* folder
      const one = yield* grantedPartner(chains)
      yield* Effect.scoped(Effect.flatMap(openSigner(chains, directory), ({ lookAtTenants }) => lookAtTenants))
      assert.isUndefined(yield* rollbackSeen(chains, directory))
      cut(chains, one.id)
      assert.isUndefined(
        yield* rollbackSeen(chains, directory, { isStandby: true }),
        "what a standby lacks proves nothing"
      )
      assert.match((yield* rollbackSeen(chains, directory)) ?? "", new RegExp(`the chain of tenant ${one.id} had`, "u"))
      assert.isTrue(yield* restored(chains, directory, 2))
      assert.isUndefined(yield* rollbackSeen(chains, directory))
    }).pipe(Effect.provide(services))
  )

  it.live("goes on when the chain is whole again", () =>
    Effect.gen(function* () {
      const { chains, one, signer } = yield* settled
      const rows = cut(chains, one.id)
      assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)
      chains.rowsOf(one.id).push(...rows)
      yield* payAsked(signer, one)
    }).pipe(Effect.provide(services))
  )

  it.live("refuses chains that were forked, rewritten, or are another tenant's", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const whole = [...chains.rowsOf(one.id)]
      cut(chains, one.id)
      yield* chains.grant(one.id, "payout_wallet", { ...walletValues(one.wallet), address: "thief" })
      assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)

      chains.set(one.id, [...whole])
      const [, , wallet] = whole
      const document = wallet?.document.replace(one.wallet.address, "thief") ?? ""
      swapLast(chains, one.id, { document })
      assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)

      chains.set(one.id, [...chains.rowsOf(other.id)])
      assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)
      yield* payAsked(signer, other)
    }).pipe(Effect.provide(services))
  )

  it.live("refuses the same of a chain that it has never seen, and grants that too few have approved", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      const bare = yield* newPartner
      const refusedAs = Effect.fnUntraced(function* (reason: RegExp) {
        assert.match(yield* refusal(payAsked(signer, bare)), reason)
        yield* payAsked(signer, one)
      })
      chains.set(bare.id, [...chains.rowsOf(other.id)])
      yield* refusedAs(/\(wrong_chain\)/u)

      chains.set(bare.id, [])
      yield* chains.grant(bare.id, "policy", policyValues({ kind: "LIVE", policy: defaultPolicy }))
      yield* chains.grant(bare.id, "signing_key", keyValues(bare))
      const whole = [...chains.rowsOf(bare.id)]
      const [policy, key] = whole
      if (policy === undefined || key === undefined) return assert.fail("there are two grants")
      chains.set(bare.id, [key])
      yield* refusedAs(/\(wrong_number\)/u)
      chains.set(bare.id, [policy, { ...key, approvals: key.approvals.slice(0, 1) }])
      yield* refusedAs(/\(quorum_missing\)/u)
      const thief = yield* requester
      chains.set(bare.id, [policy, { ...key, document: key.document.replace(bare.publicKey, thief.publicKey) }])
      yield* refusedAs(/\(approval_invalid\)/u)
      chains.set(bare.id, [policy, { ...key, document: "{}" }])
      yield* refusedAs(/\(unreadable\)/u)
      chains.set(bare.id, whole)
      yield* payAsked(signer, bare)
      return undefined
    }).pipe(Effect.provide(services))
  )

  it.live("counts a row that cannot even be read against its own chain", () =>
    Effect.gen(function* () {
      const { chains, one, other } = yield* settled
      const store = GrantStore.of({
        ...chains.store,
        after: (chain, number, limit) =>
          chain === one.id ? Effect.die(new SyntaxError("no JSON")) : chains.store.after(chain, number, limit)
      })
      const signer = yield* openSigner({ ...chains, store }, yield* folder)
      assert.match(yield* refusal(payAsked(signer, one)), /\(unreadable\): its row cannot be read/u)
      yield* payAsked(signer, other)
    }).pipe(Effect.provide(services))
  )

  it.live(
    "starts where a row of one chain cannot even be read, sees what the others lack, and gives that up alone",
    () =>
      Effect.gen(function* () {
        const { chains, one, other } = yield* settled
        const store = GrantStore.of({
          ...chains.store,
          after: (chain, number, limit) =>
            chain === one.id ? Effect.die(new SyntaxError("no JSON")) : chains.store.after(chain, number, limit)
        })
        const directory = yield* folder
        yield* Effect.scoped(Effect.flatMap(openSigner(chains, directory), ({ lookAtTenants }) => lookAtTenants))
        assert.isUndefined(yield* rollbackSeen({ store }, directory))
        cut(chains, other.id)
        assert.match((yield* rollbackSeen({ store }, directory)) ?? "", new RegExp(`tenant ${other.id} had`, "u"))
        assert.isTrue(yield* restored({ store }, directory, 2))
        assert.isUndefined(yield* rollbackSeen({ store }, directory))
      }).pipe(Effect.provide(services))
  )

  it.live("signs for nobody when the chain of the fleet was cut, and by no other root", () =>
    Effect.gen(function* () {
      const { chains, one, other, signer } = yield* settled
      yield* chains.grant(one.id, "network", { network: "base", stopped: true, reason: "" }, [chains.cleo])
      yield* payAsked(signer, one)
      cut(chains, null)
      for (const partner of [one, other])
        assert.match(yield* refusal(payAsked(signer, partner)), /grant 1 of the fleet does not hold \(cut\)/u)

      chains.set(null, [])
      assert.match(yield* refusal(payAsked(signer, one)), /\(cut\)/u)

      const strangers = { ...chains.trust, root: { ...chains.trust.root, quorum: "1" } }
      const elsewhere = yield* openSigner({ ...chains, trust: strangers }, yield* folder)
      assert.match(yield* refusal(payAsked(elsewhere, one)), /\(wrong_previous\)|\(wrong_fleet\)/u)
    }).pipe(Effect.provide(services))
  )

  it.live(
    "has seen the removal of an approver before somebody takes it out again, though nobody asked for a signature",
    () =>
      Effect.gen(function* () {
        const { chains, one, signer } = yield* settled
        yield* chains.remove(one.id, chains.cleo, chains.ann)
        assert.strictEqual((yield* signer.lookAtFleet).lastStricter, 1)
        chains.set(null, [])
        yield* chains.grant(one.id, "signing_key", keyValues(yield* requester), [chains.ann, chains.cleo])
        assert.match(yield* refusal(payAsked(signer, one)), /grant 1 of the fleet does not hold \(cut\)/u)
        assert.isTrue((yield* Effect.flip(signer.lookAtFleet)).message.includes("(cut)"))
      }).pipe(Effect.provide(services))
  )
})
