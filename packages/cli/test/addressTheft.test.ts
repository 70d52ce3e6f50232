import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { importDepositKey } from "@bursar/core/incoming/importDepositKey"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { type KeyedAddress } from "@bursar/core/engine/Directory"
import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { retireAddress } from "@bursar/core/address/retireAddress"
import type { Command } from "@bursar/core/engine/Command"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { adapterOf, keyNamesOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
// storage of no interest here, which the program itself does not depend on
import * as Memory from "../../storage/memory/src/index.ts"
import { muxed } from "@bursar/stellar/Address"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { initEccLib, payments } from "bitcoinjs-lib"
import { Effect, Exit, Layer, Result } from "effect"
import { randomBytes } from "node:crypto"
import * as ecc from "tiny-secp256k1"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

const bip32 = BIP32Factory(ecc)
initEccLib(ecc)

const ports = Layer.mergeAll(
  WriterLive.layer.pipe(Layer.provideMerge(Memory.layer)),
  layerNetworksAlone(idleNodes, defaultCurrencies)
)

const newTenant = Effect.gen(function* () {
  const id = TenantId(crypto.randomUUID())
  const tenant: Tenant = {
    id,
    slug: `t-${id}`,
    name: "t",
    kind: "LIVE",
    status: "ACTIVE",
    policy: defaultPolicy,
    createdAt: 1_700_000_000_000
  }
  yield* (yield* Tenants).create(tenant)
  return id
})

const submit = <A>(tenant: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command))

/** Where a key is: its public side, the account above it, and every network with every address that it is good for. */
interface Victim {
  readonly network: Network
  readonly publicKey: Uint8Array
  /** The account's extended public key, of which this is the key 0/0; null where there is none. */
  readonly account: string | null
  readonly address: string
  /** What somebody else may try to take: the address itself, on siblings, and other forms of the same key. */
  readonly forms: ReadonlyArray<readonly [Network, string]>
  /** Those that no other address of the key tells of: only who knows the public key knows that they are its own. */
  readonly untold: ReadonlyArray<string>
}

const evm = ["ethereum", "bsc", "base"] as const

const victimOn = (network: Network) =>
  Effect.gen(function* () {
    const networks = yield* Networks
    if (network === "stellar") {
      const publicKey = randomBytes(32)
      const [account = ""] = adapterOf(networks, network).keys.addressesOf(publicKey)
      const address = muxed(account, 0n)
      const forms = [address, account, muxed(account, 1n), muxed(account, 2n ** 64n - 1n)]
      return {
        network,
        publicKey,
        account: null,
        address,
        forms: forms.map((form) => [network, form] as const),
        untold: []
      }
    }
    const utxo = { tron: "m/44'/195'/0'", bitcoin: "m/84'/0'/0'" }[network as string] ?? "m/44'/60'/0'"
    const node = bip32.fromSeed(randomBytes(32)).derivePath(utxo).neutered()
    const { publicKey } = node.derive(0).derive(0)
    const all = evm.flatMap((each) =>
      adapterOf(networks, each)
        .keys.addressesOf(publicKey)
        .map((form) => [each, form] as const)
    )
    const tron = adapterOf(networks, "tron")
      .keys.addressesOf(publicKey)
      .map((form) => ["tron", form] as const)
    const uncompressed = payments.p2pkh({ pubkey: ecc.pointCompress(publicKey, false) }).address ?? ""
    const taproot = payments.p2tr({ internalPubkey: publicKey.subarray(1, 33) }).address ?? ""
    const bitcoin = [...adapterOf(networks, "bitcoin").keys.addressesOf(publicKey), taproot, uncompressed]
    const [address = ""] = adapterOf(networks, network).keys.addressesOf(publicKey)
    return {
      network,
      publicKey,
      account: node.toBase58(),
      address,
      forms: network === "bitcoin" ? bitcoin.map((form) => [network, form] as const) : [...all, ...tron],
      untold: [taproot, uncompressed]
    }
  })

const keyedBy = (network: Network, address: string) =>
  Effect.map(Networks, (networks): KeyedAddress => ({
    address,
    keys: adapterOf(networks, network).keys.keysOf(address)
  }))

const register = (tenant: TenantId, network: Network, address: string) =>
  Effect.gen(function* () {
    const item = {
      _tag: "Valid" as const,
      network,
      ...(yield* keyedBy(network, address)),
      reference: "r",
      watchFrom: null,
      watchFromBlock: null
    }
    const [result] = yield* submit(tenant, registerAddresses([item]))
    return result
  })

const importing = ({ publicKey }: Victim, network: Network, address: string) =>
  Effect.map(Networks, (networks) =>
    importDepositKey(
      {
        network,
        address,
        keys: keyNamesOf(networks, network, publicKey),
        keyId: crypto.randomUUID(),
        sealed: "sealed",
        publicKey: Buffer.from(publicKey).toString("hex"),
        algorithm: "RSA-OAEP-SHA256",
        sourceSystem: null,
        sourceReference: null
      },
      defaultCurrencies
    )
  )

const registeringXpub = (network: Network, account: string) =>
  Effect.map(Networks, (networks) => {
    const { accountKeyName, parse } = adapterOf(networks, network).keys
    const { canonical } = Result.getOrThrow(parse(account))
    const accountName = accountKeyName(canonical)
    return registerXpub({ network, xpub: account, canonical, accountName, indexFrom: 0, indexTo: 100 })
  })

const deriving = (tenant: TenantId, network: Network) =>
  Effect.gen(function* () {
    const [live] = yield* (yield* Queries).xpubs(tenant, { network, includeRetired: false })
    if (live === undefined) return yield* Effect.die(new Error("no xpub"))
    const { canonical, id: xpubId, nextIndex: from } = live
    const addresses = yield* adapterOf(yield* Networks, network).keys.derive(canonical, from, 1)
    return deriveAddresses({ network, reference: "r", count: 1, prederived: { xpubId, from, addresses } })
  })

/** How an owner comes to an address: gives its record, undefined where the source does not exist there. */
const sources = {
  REGISTERED: (owner: TenantId, { address, network }: Victim) =>
    Effect.map(register(owner, network, address), (result) =>
      result?.status === "registered" ? result.address.id : undefined
    ),
  DERIVED: (owner: TenantId, { account, network }: Victim) =>
    Effect.gen(function* () {
      if (account === null) return undefined
      yield* submit(owner, yield* registeringXpub(network, account))
      return (yield* submit(owner, yield* deriving(owner, network))).addresses[0]?.id
    }),
  ISSUED: (owner: TenantId, { account, network, publicKey }: Victim) =>
    Effect.gen(function* () {
      const networks = yield* Networks
      const { accountKeyName, addressesOf, derive } = adapterOf(networks, network).keys
      const accountKey = account ?? addressesOf(publicKey)[0] ?? ""
      const accountName = accountKeyName(accountKey)
      const addresses = yield* derive(accountKey, 0, 1)
      const prederived = { seedId: crypto.randomUUID(), accountKey, accountName, from: 0, addresses }
      const issued = yield* submit(
        owner,
        issueAddresses({ network, reference: "r", count: 1, prederived }, presetNetworks)
      )
      return issued.addresses[0]?.id
    }),
  IMPORTED: (owner: TenantId, victim: Victim) =>
    Effect.gen(function* () {
      const [address = ""] = adapterOf(yield* Networks, victim.network).keys.addressesOf(victim.publicKey)
      return (yield* submit(owner, yield* importing(victim, victim.network, address))).address.id
    })
}

/** Everything that a thief may try with a key's addresses, each with what came of it. */
const attempts = (thief: TenantId, victim: Victim) =>
  Effect.gen(function* () {
    const networks = yield* Networks
    const outcomes: Array<readonly [string, string]> = []
    for (const [network, form] of victim.forms) {
      const result = yield* register(thief, network, form)
      outcomes.push([`register ${network} ${form}`, result?.status === "refused" ? result.refusal.code : "taken"])
      if (adapterOf(networks, network).keys.addressesOf(victim.publicKey).includes(form)) {
        const taken = yield* Effect.exit(submit(thief, yield* importing(victim, network, form)))
        outcomes.push([`import ${network} ${form}`, codeOf(taken)])
      }
    }
    return outcomes
  })

const codeOf = (exit: Exit.Exit<unknown, { readonly _tag: string; readonly code?: string }>): string =>
  Exit.match(exit, {
    onSuccess: () => "taken",
    onFailure: (cause) =>
      cause.reasons.flatMap((one) => (one._tag === "Fail" ? (one.error.code ?? "") : one._tag)).join()
  })

const names = Object.keys(sources) as ReadonlyArray<keyof typeof sources> // its keys

describe("an address of another tenant", () => {
  for (const network of [...evm, "tron", "bitcoin", "stellar"] as const) {
    for (const source of names) {
      for (const retired of [false, true]) {
        const held = source === "ISSUED" || source === "IMPORTED"
        const isFree = retired && !held
        it.effect(
          `${source} on ${network}${retired ? " and retired" : ""} is ${isFree ? "free again" : "in no form anybody else's to register, derive or import"}`,
          () =>
            Effect.gen(function* () {
              const [owner, thief] = [yield* newTenant, yield* newTenant]
              const victim = yield* victimOn(network)
              const id = yield* sources[source](owner, victim)
              if (id === undefined) return
              if (retired) yield* submit(owner, retireAddress(id))
              const { account } = victim
              if (account !== null && source !== "REGISTERED" && source !== "IMPORTED") {
                const stolen = yield* Effect.exit(submit(thief, yield* registeringXpub(network, account)))
                assert.strictEqual(codeOf(stolen), "address_unavailable", "the account's key")
                if (network === "ethereum") {
                  for (const each of ["base", "tron"] as const) {
                    const elsewhere = yield* Effect.exit(submit(thief, yield* registeringXpub(each, account)))
                    assert.strictEqual(codeOf(elsewhere), "address_unavailable", `the account's key on ${each}`)
                  }
                }
              }
              if (account !== null && (source === "REGISTERED" || source === "IMPORTED") && !isFree) {
                yield* submit(thief, yield* registeringXpub(network, account))
                const derived = yield* Effect.exit(submit(thief, yield* deriving(thief, network)))
                assert.strictEqual(codeOf(derived), "address_unavailable", "derived")
              }
              const outcomes = yield* attempts(thief, victim)
              assert.isNotEmpty(outcomes)
              if (isFree)
                return assert.include(
                  outcomes.map(([, code]) => code),
                  "taken"
                )
              const told = outcomes.filter(
                ([what]) => source !== "REGISTERED" || !victim.untold.some((form) => what.endsWith(form))
              )
              for (const [what, code] of told) assert.strictEqual(code, "address_unavailable", what)
              return undefined
            }).pipe(Effect.provide(ports, { local: true }))
        )
      }
    }

    it.effect(`that is a payout wallet on ${network} is nobody's to register, its own tenant's neither`, () =>
      Effect.gen(function* () {
        const [owner, thief] = [yield* newTenant, yield* newTenant]
        const victim = yield* victimOn(network)
        const networks = yield* Networks
        const [address = ""] = adapterOf(networks, network).keys.addressesOf(victim.publicKey)
        const keys = keyNamesOf(networks, network, victim.publicKey)
        yield* submit(
          owner,
          addWallet({ network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, address, keys }, presetNetworks)
        )
        for (const tenant of [thief, owner]) {
          for (const [what, code] of yield* attempts(tenant, victim))
            assert.strictEqual(code, "address_unavailable", what)
        }
      }).pipe(Effect.provide(ports, { local: true }))
    )
  }
})
