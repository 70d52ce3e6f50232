import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { Xpub } from "@bursar/core/address/Xpub"
import { putRecord } from "@bursar/core/engine/Records"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { Grants } from "@bursar/core/grant/Grants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import type { ShownAddress } from "@bursar/core/granting/addressProblem"
import * as Shown from "@bursar/core/granting/ShownAddresses"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import { type Registered, SignedRegistrations } from "@bursar/core/port/SignedRegistrations"
import { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import { ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { bareAddress } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { issuing, registered as registerOne, addressOf, said } from "../address/world.ts"
import { signingKey, world } from "../grant/chain.ts"
import { store, submit } from "../transfer/world.ts"

/** The address of an index of an account: what derivation is to these tests. */
const at = (account: string, index: number) => `${account}/${index}`

const base = makeFakeNetwork("base", {
  parseAddress: (text) => (text.startsWith("!") ? Result.fail("no address") : Result.succeed(text.toLowerCase())),
  keys: {
    parse: (text) =>
      text.startsWith("xpub")
        ? Result.succeed({ canonical: `canonical ${text}` })
        : Result.fail({ code: "xpub_invalid", message: "It is none." }),
    derive: (account, from, count) => {
      if (account.startsWith("broken")) throw new Error("that is no account of this chain")
      return Effect.succeed(Array.from({ length: count }, (_, index) => keyed(at(account, from + index))))
    },
    addressesOf: (publicKey) => [`key of ${publicKey.join()}`]
  }
})

const networks = makeNetworks([base])

/** An address as a row would say it. */
const row = (more: Partial<ShownAddress> = {}): ShownAddress => ({
  network: "base",
  address: at("account", 3),
  origin: "ISSUED",
  xpubId: null,
  seedId: "seed",
  derivationIndex: 3,
  registrations: [],
  ...more
})

/** How a process looks at addresses: what grants say, where it goes by grants, and what signed requests have registered. */
interface Process {
  /** The networks that are on, with the ways of families; base alone where nothing is said. */
  readonly on?: Networks["Service"]
  readonly broken?: GrantChainBroken
  readonly chain?: Effect.Success<ReturnType<typeof world>>["chain"]
  readonly signed?: (body: string) => Result.Result<Registered, string>
}

const looking = Effect.fnUntraced(function* ({ broken, chain, on = networks, signed }: Process = {}) {
  const alarms: Array<string> = []
  const made = yield* Shown.make(presetNetworks).pipe(
    Effect.provideService(Networks, on),
    Effect.provideService(Shown.ForgeryLog, (_, { reason }) => Effect.sync(() => alarms.push(reason)))
  )
  const asked = { count: 0 }
  const within = <A, E>(effect: Effect.Effect<A, E>) => {
    // all of grants that is asked for
    const state = broken !== undefined ? () => Effect.fail(broken) : chain && (() => Effect.succeed(chain()))
    const grants = state && ({ stateOf: state } as unknown as Grants["Service"])
    const withGrants = grants === undefined ? effect : Effect.provideService(effect, Grants, grants)
    if (signed === undefined) return withGrants
    const read = ({ evidence: { body } }: { readonly evidence: { readonly body: string } }) =>
      Effect.sync(() => {
        asked.count += 1
        return signed(body)
      })
    return Effect.provideService(withGrants, SignedRegistrations, { read })
  }
  const reasonOf = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
    within(effect).pipe(
      Effect.as(null),
      Effect.catch((error) => Effect.succeed("reason" in error ? String(error.reason) : error.message))
    )
  return {
    alarms,
    asked,
    verify: (id: TenantId, ...shown: ReadonlyArray<ShownAddress>) => reasonOf(made.verify(id, shown)),
    verifyNamed: (id: TenantId, ...named: ReadonlyArray<Shown.NamedAddress>) => reasonOf(made.verifyNamed(id, named)),
    replaceable: (id: TenantId, ...addresses: ReadonlyArray<string>) => within(made.replaceable(id, addresses)),
    verifyXpubs: (id: TenantId, ...shown: Parameters<typeof made.verifyXpubs>[1]) =>
      reasonOf(made.verifyXpubs(id, shown))
  }
})

const strange = "it is not the address of its index"

/** Grants of a tenant: its policy, and the account of a seed. */
const granted = Effect.fnUntraced(function* (policy: Partial<TenantPolicy> = {}) {
  const all = yield* world()
  const two = [all.ann, all.bob]
  const account: GrantValues<"issuing_account"> = {
    family: "evm",
    seed_id: "seed",
    account_key: "account",
    state: "ACTIVE"
  }
  yield* all.grant("policy", policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } }), two)
  yield* all.grant("issuing_account", account, two)
  return { ...all, two, account }
})

const evidence = (body: string) => ({ keyid: "k", signatureBase: "b", signature: "s", body })

/** Kept requests, as an address names them. */
const byKeys = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id, keyid: `key-${id}` }))

const keep = (id: TenantId, registrationId: string, body: string) =>
  submit(
    id,
    writing(() => [putRecord(SignedRegistration, { id: registrationId, recordedAt: 0, ...evidence(body) })])
  )

describe("an address that the service has issued", () => {
  it.effect("is shown where it follows from the stored account at its index, and from no other", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { alarms, verify } = yield* looking()
      assert.isNotNull(yield* verify(id, row()), "there is no account")
      const addresses = [0, 1].map((index) => ({ ...keyed(at("account", index)) }))
      yield* submit(id, issuing({ network: "base", seedId: "seed", accountKey: "account", addresses }))
      assert.isNull(yield* verify(id))
      assert.isNull(yield* verify(id, row(), row({ address: at("account", 0), derivationIndex: 0 })))
      for (const [more, reason] of [
        [{ derivationIndex: 4 }, strange],
        [{ address: at("other", 3) }, strange],
        [{ derivationIndex: null }, "it has no index"],
        [{ seedId: null }, "it has no seed"],
        [{ seedId: "other" }, "no account of its seed is known"]
      ] as const) {
        assert.strictEqual(yield* verify(id, row(), row(more)), reason)
        assert.strictEqual(alarms.at(-1), reason)
      }
      assert.lengthOf(alarms, 6)
    }).pipe(Effect.provide(store))
  )

  it.effect("is shown where it follows from the account that is granted, whatever the row says", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { account, chain, grant, two } = yield* granted()
      const { verify } = yield* looking({ chain })
      assert.isNull(yield* verify(id, row()))
      assert.strictEqual(yield* verify(id, row({ address: at("stored", 3) })), strange)
      assert.isNotNull(yield* verify(id, row({ seedId: "other" })))
      // what was verified by the grants of before is looked at again
      yield* grant("issuing_account", { ...account, state: "REVOKED" }, two)
      assert.strictEqual(yield* verify(id, row()), "the grant of its account was revoked")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not shown where nothing can be derived from what stands for its account", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { account, chain, grant, two } = yield* granted()
      yield* grant("issuing_account", { ...account, seed_id: "broken", account_key: "broken" }, two)
      const { verify } = yield* looking({ chain })
      assert.strictEqual(yield* verify(id, row({ seedId: "broken", address: at("broken", 3) })), strange)
    }).pipe(Effect.provide(store))
  )
})

describe("an address of a key", () => {
  it.effect("that was imported is shown where the key is its own", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { verify } = yield* looking()
      const imported = (address: string) => row({ origin: "IMPORTED", address, seedId: null, derivationIndex: null })
      const put = (address: string, publicKey: string) =>
        putRecord(ImportedAddressKey, { network: "base", family: "evm", address, keyId: "k", publicKey })
      yield* submit(
        id,
        writing(() => [put("key of 2", "02"), put("key of 9", "03")])
      )
      assert.isNull(yield* verify(id, imported("key of 2")))
      assert.strictEqual(yield* verify(id, imported("key of 9")), "its key is that of another address")
      assert.strictEqual(yield* verify(id, imported("key of 4")), "no key was imported for it")
    }).pipe(Effect.provide(store))
  )

  it.effect("that was imported is an alarm where somebody has made its public key none", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      // as those of all networks do
      const addressesOf = () => {
        throw new Error("bad point: got length 1, expected compressed=33 or uncompressed=65")
      }
      const { alarms, verify } = yield* looking({
        on: makeNetworks([makeFakeNetwork("base", { keys: { ...base.keys, addressesOf } })])
      })
      yield* submit(
        id,
        writing(() => [
          putRecord(ImportedAddressKey, { network: "base", family: "evm", address: "a", keyId: "k", publicKey: "00" })
        ])
      )
      const shown = yield* Effect.exit(
        verify(id, row({ origin: "IMPORTED", address: "a", seedId: null, derivationIndex: null }))
      )
      assert.strictEqual(shown._tag, "Success", String(shown))
      assert.lengthOf(alarms, 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("that the tenant registered is shown where it follows from that key at its index", () =>
    Effect.gen(function* () {
      const [{ id }, { id: stranger }] = [yield* newTenant(), yield* newTenant()]
      const item = { ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" }
      const xpub = yield* submit(id, registerXpub(item))
      const { verify } = yield* looking()
      const derived = (more: Partial<ShownAddress> = {}) =>
        row({ origin: "DERIVED", xpubId: xpub.id, seedId: null, address: at("canonical xpub-1", 3), ...more })
      assert.isNull(yield* verify(id, derived()))
      assert.strictEqual(yield* verify(id, derived({ derivationIndex: 4 })), strange)
      assert.strictEqual(yield* verify(stranger, derived()), "its xpub is not the tenant's")
      assert.strictEqual(yield* verify(id, derived({ xpubId: null })), "its xpub is not the tenant's")
    }).pipe(Effect.provide(store))
  )

  it.effect("that the tenant registered must follow from a signed request, where the granted policy demands it", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain, grant, two } = yield* granted({ signaturesRequired: ["xpubs"] })
      yield* grant("signing_key", signingKey, two)
      const signed = (body: string): Result.Result<Registered, string> =>
        body === "junk"
          ? Result.fail("nobody has signed it")
          : Result.succeed({ _tag: "Xpub", network: "base", xpub: body })
      const item = { ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" }
      const xpub = yield* submit(id, registerXpub(item))
      const { asked, verify, verifyXpubs } = yield* looking({ chain, signed })
      const shown = row({ origin: "DERIVED", xpubId: xpub.id, seedId: null, address: at("canonical xpub-1", 3) })
      const unsigned = "no signed request that is kept has registered its key"
      assert.strictEqual(yield* verify(id, shown), unsigned)
      assert.strictEqual(yield* verifyXpubs(id, xpub), unsigned)
      assert.isNull(yield* verifyXpubs(id))
      yield* keep(id, xpub.id, "xpub-1")
      assert.isNull(yield* verify(id, shown))
      assert.isNull(yield* verifyXpubs(id, xpub))
      assert.strictEqual(asked.count, 1, "what was verified is remembered")
      const forged = { ...xpub, xpub: "xpub-2" }
      assert.strictEqual(yield* verifyXpubs(id, forged), "it is not the key that its row says")
      assert.strictEqual(yield* verifyXpubs(id, { ...forged, canonical: "canonical xpub-2" }), unsigned)
      const without = yield* looking({ chain })
      assert.strictEqual(yield* without.verify(id, shown), unsigned, "nothing here can verify it")
      for (const body of ["junk", "xpub-9"]) {
        const { id: other } = yield* newTenant()
        const theirs = yield* submit(
          other,
          registerXpub({ ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" })
        )
        yield* keep(other, theirs.id, body)
        assert.strictEqual(yield* verifyXpubs(other, theirs), unsigned, body)
      }
    }).pipe(Effect.provide(store))
  )
})

describe("an address that the tenant has registered", () => {
  const own = (more: Partial<ShownAddress> = {}) =>
    row({ origin: "REGISTERED", address: "0xabc", seedId: null, derivationIndex: null, ...more })

  it.effect("follows from nothing, and so from no key", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { verify } = yield* looking()
      assert.isNull(yield* verify(id, own()))
      const named = "it names a key, and was registered without one"
      for (const more of [{ seedId: "s" }, { xpubId: "x" }, { derivationIndex: 0 }])
        assert.strictEqual(yield* verify(id, own(more)), named)
    }).pipe(Effect.provide(store))
  )

  it.effect("must be one that a signed request names, where the granted policy demands it", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain } = yield* granted({ signaturesRequired: ["addresses"] })
      const addresses = (network: string, ...all: ReadonlyArray<string>): Registered => ({
        _tag: "Addresses",
        addresses: all.map((address) => ({ network, address }))
      })
      const said: Readonly<Record<string, Result.Result<Registered, string>>> = {
        right: Result.succeed(addresses("base", "!", "0xABC")),
        sibling: Result.succeed(addresses("ethereum", "0xabc")),
        elsewhere: Result.succeed(addresses("tron", "0xabc")),
        other: Result.succeed(addresses("base", "0xdef")),
        key: Result.succeed({ _tag: "Xpub", network: "base", xpub: "0xabc" }),
        junk: Result.fail("nobody has signed it")
      }
      const { verify } = yield* looking({ chain, signed: (body) => said[body] ?? Result.fail("unknown") })
      for (const body of Object.keys(said)) yield* keep(id, `r-${body}`, body)
      const reason = (body: string) => verify(id, own({ registrations: byKeys(`r-${body}`) }))
      const another = "the signed request registers another address"
      assert.strictEqual(yield* verify(id, own()), "nobody has signed its registration")
      assert.strictEqual(yield* reason("lost"), "no signed request is kept that registered it")
      for (const body of ["right", "sibling"]) assert.isNull(yield* reason(body), body)
      for (const body of ["elsewhere", "other", "key"]) assert.strictEqual(yield* reason(body), another, body)
      assert.strictEqual(yield* reason("junk"), "nobody has signed it")
      const beside = (...ids: ReadonlyArray<string>) => verify(id, own({ registrations: byKeys(...ids) }))
      assert.isNull(yield* beside("r-junk", "r-other", "r-right"))
      assert.isNull(yield* beside("r-right", "r-lost"))
      assert.strictEqual(yield* beside("r-junk", "r-other"), another)
    }).pipe(Effect.provide(store))
  )
})

describe("an address of a network that is off", () => {
  /** A way in which addresses follow from an account, as another chain of a family has it. */
  const way = (prefix: string) => ({
    ...base.keys,
    derive: (account: string, from: number, count: number) =>
      Effect.succeed(Array.from({ length: count }, (_, index) => keyed(`${prefix}${at(account, from + index)}`))),
    addressesOf: () => [`${prefix}key`]
  })
  const off = makeNetworks(
    [],
    [],
    new Map([
      ["evm", [way("first "), way("")]],
      ["tron", [way("tron ")]]
    ])
  )

  it.effect("is judged by one that is on and has the same addresses, whatever other chains there are", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      yield* submit(id, issuing({ network: "base", seedId: "seed", accountKey: "account", addresses: [keyed("a")] }))
      const { verify } = yield* looking()
      assert.isNull(yield* verify(id, row({ network: "ethereum" })))
      // an operator's own network that was taken out of the configuration
      assert.isNull(yield* verify(id, row({ network: "own-chain" })))
      assert.strictEqual(yield* verify(id, row({ network: "own-chain", address: at("other", 3) })), strange)
    }).pipe(Effect.provide(store))
  )

  it.effect("is judged by the ways of all chains of its family where all of them are off", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      yield* submit(id, issuing({ network: "base", seedId: "seed", accountKey: "account", addresses: [keyed("a")] }))
      const { verify } = yield* looking({ on: off })
      for (const network of ["base", "own-chain"]) {
        assert.isNull(yield* verify(id, row({ network })))
        assert.isNull(yield* verify(id, row({ network, address: `first ${at("account", 3)}` })))
        assert.strictEqual(yield* verify(id, row({ network, address: `tron ${at("account", 3)}` })), strange)
      }
      yield* submit(
        id,
        writing(() =>
          ["key", "tron key"].map((address) =>
            putRecord(ImportedAddressKey, { network: "base", family: "evm", address, keyId: "k", publicKey: "02" })
          )
        )
      )
      const imported = (address: string) => row({ origin: "IMPORTED", address, seedId: null, derivationIndex: null })
      assert.isNull(yield* verify(id, imported("key")))
      assert.strictEqual(yield* verify(id, imported("tron key")), "its key is that of another address")
    }).pipe(Effect.provide(store))
  )

  it.effect("is shown of no family whose ways nobody knows", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      yield* submit(id, issuing({ network: "base", seedId: "seed", accountKey: "account", addresses: [keyed("a")] }))
      const { verify } = yield* looking({ on: makeNetworks([]) })
      assert.strictEqual(yield* verify(id, row()), strange)
    }).pipe(Effect.provide(store))
  )

  it.effect("that was registered is compared with what was signed but for its case, on its siblings too", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain } = yield* granted({ signaturesRequired: ["addresses"] })
      const signed = (): Result.Result<Registered, string> =>
        Result.succeed({
          _tag: "Addresses",
          addresses: [
            { network: "base", address: "0xABC" },
            { network: "own-chain", address: "0xDEF" }
          ]
        })
      yield* keep(id, "r", "body")
      const { verify } = yield* looking({ chain, on: makeNetworks([]), signed })
      const shown = (network: string, address: string) =>
        verify(
          id,
          row({
            origin: "REGISTERED",
            network,
            address,
            seedId: null,
            derivationIndex: null,
            registrations: byKeys("r")
          })
        )
      for (const [network, address] of [
        ["base", "0xabc"],
        ["ethereum", "0xAbc"],
        ["own-chain", "0xdef"]
      ] as const)
        assert.isNull(yield* shown(network, address), network)
      for (const [network, address] of [
        ["base", "0xdef"],
        ["own-chain", "0xabc"],
        ["other-chain", "0xdef"],
        ["tron", "0xabc"]
      ] as const)
        assert.strictEqual(yield* shown(network, address), "the signed request registers another address", network)
    }).pipe(Effect.provide(store))
  )
})

describe("what a tenant has registered", () => {
  it.effect("is not shown where the chain of grants is broken: nobody knows what was demanded", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const broken = new GrantChainBroken({
        tenantId: null,
        position: 2,
        code: "wrong_number",
        reason: "one is missing"
      })
      const xpub = yield* submit(
        id,
        registerXpub({ ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" })
      )
      const { verify, verifyXpubs } = yield* looking({ broken })
      const own = row({ origin: "REGISTERED", address: "0xabc", seedId: null, derivationIndex: null })
      const derived = row({ origin: "DERIVED", xpubId: xpub.id, seedId: null, address: at("canonical xpub-1", 3) })
      assert.strictEqual(yield* verify(id, own), broken.message)
      assert.strictEqual(yield* verify(id, derived), broken.message)
      assert.strictEqual(yield* verifyXpubs(id, xpub), broken.message)
      assert.isNotNull(yield* verify(id, row()))
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "counts under whichever registration of the same key was signed, retired or not, and under no other key's",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { chain, grant, two } = yield* granted({ signaturesRequired: ["xpubs"] })
        yield* grant("signing_key", signingKey, two)
        const signed = (body: string): Result.Result<Registered, string> =>
          body === "addresses"
            ? Result.succeed({ _tag: "Addresses", addresses: [{ network: "base", address: "xpub-1" }] })
            : Result.succeed({ _tag: "Xpub", network: "base", xpub: body })
        const { verify, verifyXpubs } = yield* looking({ chain, signed })
        const first = yield* submit(
          id,
          registerXpub({ ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" })
        )
        const retired = (more: Partial<Xpub>): Xpub => ({ ...first, id: crypto.randomUUID(), retiredAt: 1, ...more })
        const other = retired({ canonical: "canonical xpub-2", xpub: "xpub-2" })
        const again = retired({})
        yield* submit(
          id,
          writing(() => [putRecord(Xpub, other)])
        )
        const unsigned = "no signed request that is kept has registered its key"
        // a request that is kept under another key's registration says nothing of this one
        yield* keep(id, other.id, "xpub-1")
        assert.strictEqual(yield* verifyXpubs(id, first), unsigned)
        // nor does one that registered addresses
        yield* keep(id, first.id, "addresses")
        assert.strictEqual(yield* verifyXpubs(id, first), unsigned)
        yield* submit(
          id,
          writing(() => [putRecord(Xpub, again)])
        )
        yield* keep(id, again.id, "xpub-1")
        assert.isNull(yield* verifyXpubs(id, first))
        const derived = (xpubId: string) =>
          row({ origin: "DERIVED", xpubId, seedId: null, address: at("canonical xpub-1", 3) })
        assert.isNull(yield* verify(id, derived(first.id)))
        assert.isNull(yield* verify(id, derived(again.id)), "of a key that was retired")
      }).pipe(Effect.provide(store))
  )

  it.effect("is verified again once a key that may have signed it is another", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain, grant, two } = yield* granted({ signaturesRequired: ["xpubs"] })
      yield* grant("signing_key", signingKey, two)
      const { asked, verifyXpubs } = yield* looking({
        chain,
        signed: (body) => Result.succeed({ _tag: "Xpub", network: "base", xpub: body })
      })
      const xpub = yield* submit(
        id,
        registerXpub({ ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" })
      )
      yield* keep(id, xpub.id, "xpub-1")
      for (let times = 0; times < 3; times++) assert.isNull(yield* verifyXpubs(id, xpub))
      assert.strictEqual(asked.count, 1)
      yield* grant("signing_key", { ...signingKey, state: "REVOKED" }, two)
      yield* verifyXpubs(id, xpub)
      assert.strictEqual(asked.count, 2)
    }).pipe(Effect.provide(store))
  )

  it.effect("that cannot be verified is asked for again each time", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain, grant, two } = yield* granted({ signaturesRequired: ["xpubs"] })
      yield* grant("signing_key", signingKey, two)
      const { asked, verifyXpubs } = yield* looking({ chain, signed: () => Result.fail("nobody has signed it") })
      const xpub = yield* submit(
        id,
        registerXpub({ ...xpubItem({ network: "base" }), canonical: "canonical xpub-1", xpub: "xpub-1" })
      )
      yield* keep(id, xpub.id, "xpub-1")
      for (let times = 0; times < 2; times++) assert.isNotNull(yield* verifyXpubs(id, xpub))
      assert.strictEqual(asked.count, 2)
    }).pipe(Effect.provide(store))
  )
})

describe("an address that is named", () => {
  it.effect("is judged by the tenant's own record of it, which must be there", () =>
    Effect.gen(function* () {
      const [{ id }, { id: stranger }] = [yield* newTenant(), yield* newTenant()]
      const result = yield* registerOne(id, addressOf(crypto.randomUUID()), { network: "base" })
      if (result.status !== "registered") return assert.fail(said(result))
      const { address, network }: DepositAddress = result.address
      const { verifyNamed } = yield* looking()
      const nobodys = "it is no address of the tenant"
      assert.isNull(yield* verifyNamed(id))
      for (let twice = 0; twice < 2; twice++) assert.isNull(yield* verifyNamed(id, { address, network }))
      assert.strictEqual(yield* verifyNamed(id, { address, network: "ethereum" }), nobodys)
      assert.strictEqual(yield* verifyNamed(stranger, { address, network }), nobodys)
      const { addresses } = yield* submit(
        id,
        issuing({ network: "base", seedId: "seed", accountKey: "account", addresses: [keyed(at("wrong", 0))] })
      )
      const [forged] = addresses
      if (forged === undefined) return assert.fail("nothing was issued")
      assert.strictEqual(yield* verifyNamed(id, forged), strange)
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("is shown where one of its records may be, and not where none may", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain } = yield* granted({ signaturesRequired: ["addresses"] })
      const named = { network: "base", address: "0xabc" }
      const signed = () => Result.succeed<Registered>({ _tag: "Addresses", addresses: [named] })
      const { alarms, verifyNamed } = yield* looking({ chain, signed })
      yield* keep(id, "r", "body")
      const put = (more: Partial<DepositAddress>) =>
        submit(
          id,
          writing((view) => [putRecord(DepositAddress, bareAddress(view, { ...named, ...more }))])
        )
      yield* put({ retiredAt: 5 })
      const unsigned = "nobody has signed its registration"
      assert.strictEqual(yield* verifyNamed(id, named), unsigned)
      yield* put({ registrations: byKeys("r") })
      assert.isNull(yield* verifyNamed(id, named))
      assert.deepStrictEqual(alarms, [unsigned])
    }).pipe(Effect.provide(store))
  )

  it.effect("gives up the request that it names where that counts for nothing, whatever is demanded now", () =>
    Effect.gen(function* () {
      const [{ id }, other] = [yield* newTenant(), yield* newTenant()]
      const named = { network: "base", address: "0xabc" }
      const signed = (body: string) =>
        body === "good" ? Result.succeed<Registered>({ _tag: "Addresses", addresses: [named] }) : Result.fail("no key")
      for (const body of ["good", "bad"]) yield* keep(id, body, body)
      for (const more of [
        { registrations: byKeys("good") },
        { registrations: byKeys("bad", "good"), retiredAt: 5 },
        { registrations: byKeys("lost"), network: "ethereum" },
        { registrations: [], network: "tron" },
        { registrations: byKeys("bad"), network: "tron", origin: "DERIVED" as const }
      ])
        yield* submit(
          id,
          writing((view) => [putRecord(DepositAddress, bareAddress(view, { ...named, ...more }))])
        )
      const given = Effect.fnUntraced(function* (how: Process, tenantId = id) {
        const { alarms, replaceable } = yield* looking({ signed, ...how })
        const found = yield* replaceable(tenantId, named.address, named.address)
        assert.deepStrictEqual(alarms, [])
        return found.map(({ registrationId }) => registrationId).toSorted()
      })
      for (const signaturesRequired of [["addresses"], []] as const) {
        const { chain } = yield* granted({ signaturesRequired })
        assert.deepStrictEqual(yield* given({ chain }), ["bad", "lost"])
        assert.deepStrictEqual(yield* given({ chain }, other.id), [])
      }
      // without grants no key is granted, and none of them counts for anything yet
      assert.deepStrictEqual(yield* given({}), ["bad", "good", "good", "lost"])
      const broken = new GrantChainBroken({ tenantId: null, position: 2, code: "wrong_number", reason: "it was cut" })
      assert.deepStrictEqual(yield* given({ broken }), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("has each address of the requests decoded once, however many of a batch are judged", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain } = yield* granted({ signaturesRequired: ["addresses"] })
      const batch = Array.from({ length: 20 }, (_, index) => ({ network: "base", address: `0xa${index}` }))
      let decoded = 0
      const parseAddress: typeof base.parseAddress = (text) => {
        decoded += 1
        return base.parseAddress(text)
      }
      const on = makeNetworks([{ ...base, parseAddress }])
      const signed = () => Result.succeed<Registered>({ _tag: "Addresses", addresses: batch })
      yield* keep(id, "r", "body")
      const put = (named: Shown.NamedAddress) =>
        submit(
          id,
          writing((view) => [putRecord(DepositAddress, bareAddress(view, { ...named, registrations: byKeys("r") }))])
        )
      yield* Effect.forEach(batch, put)
      const stranger = { network: "base", address: "0xb" }
      yield* put(stranger)
      const { replaceable, verifyNamed } = yield* looking({ chain, on, signed })
      for (let twice = 0; twice < 2; twice++) {
        const found = yield* replaceable(id, ...batch.map(({ address }) => address), stranger.address)
        assert.deepStrictEqual(
          found.map(({ registrationId }) => registrationId),
          ["r"]
        )
      }
      assert.isNull(yield* verifyNamed(id, ...batch))
      assert.strictEqual(decoded, batch.length)
    }).pipe(Effect.provide(store))
  )

  it.effect("has each request verified once, where a batch names more of them than are remembered", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const { chain } = yield* granted({ signaturesRequired: ["addresses"] })
      const addresses = ["0xa", "0xb"].map((address) => ({ network: "base", address }))
      const signed = () => Result.succeed<Registered>({ _tag: "Addresses", addresses })
      const requests = Array.from({ length: 101 }, (_, index) => `r${index}`)
      for (const registrationId of requests) {
        yield* keep(id, registrationId, "body")
        yield* submit(
          id,
          writing((view) =>
            addresses.map((named) =>
              putRecord(
                DepositAddress,
                bareAddress(view, { ...named, registrations: byKeys(registrationId), retiredAt: 5 })
              )
            )
          )
        )
      }
      const { asked, replaceable } = yield* looking({ chain, signed })
      assert.deepStrictEqual(yield* replaceable(id, ...addresses.map(({ address }) => address)), [])
      assert.strictEqual(asked.count, requests.length)
    }).pipe(Effect.provide(store))
  )

  it("reads as what is wrong with it", () => {
    const forged = new Shown.AddressForged({ network: "base", address: "0xa", reason: strange })
    assert.strictEqual(forged.message, `0xa on base: ${strange}`)
  })
})
