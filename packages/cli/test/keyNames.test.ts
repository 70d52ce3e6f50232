import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { adapterOf, keyNamesOf as allNamesOf, Networks } from "@bursar/core/port/Networks"
import { accountNameOf, keyNamesOf } from "@bursar/postgres/migrations/keyNames"
import { muxed } from "@bursar/stellar/Address"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { initEccLib, payments } from "bitcoinjs-lib"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as ecc from "tiny-secp256k1"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

const bip32 = BIP32Factory(ecc)
initEccLib(ecc)

const xpub =
  "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V"
const xpubName =
  "account:4a53a0ab21b9dc95869c4e92a161194e03c0ef3ff5014ac692f433c4765490fc02707a62fdacc26ea9b63b1c197906f56ee0180d0bcf1966e1a2da34f5f3a09a9b"
const stellarAccount = "GDLVVGABQKYQVN6VJP7NHSLEA45A5YLS6PNKMIZFV4BBU2HXA5IRVHUR"

/** The point of the private key 1, and the first public key of RFC 8032. */
const generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
const edwards = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

const keccak = ["keccak:7e5f4552091a69125d5dfcb7b8c2659029395bdf"]
const hashes = ["hash160:751e76e8199196d454941c45d1b3a323f1433bd6", "script:bcfeb728b584253d5f3f70bcb780e9ef218a68f4"]

const allOf = {
  ethereum: keccak,
  tron: keccak,
  bitcoin: [
    ...hashes,
    "hash160:91b24bf9f5288532960ac687abb035127b1d28a5",
    "taproot:da4710964f7852695de2da025290e24af6d8c281de5a0b902b7135fd9fd74d21"
  ],
  stellar: [`ed25519:${stellarAccount}`]
}

/** One network of each family. */
const golden = [
  {
    network: "ethereum",
    publicKey: generator,
    ofAddresses: { "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf": keccak },
    accounts: { [xpub]: xpubName }
  },
  {
    network: "tron",
    publicKey: generator,
    ofAddresses: { TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC: keccak },
    accounts: { [xpub]: xpubName }
  },
  {
    network: "bitcoin",
    publicKey: generator,
    ofAddresses: {
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4: hashes,
      "3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN": hashes.slice(1),
      "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH": hashes
    },
    accounts: { [xpub]: xpubName }
  },
  {
    network: "stellar",
    publicKey: edwards,
    ofAddresses: { [stellarAccount]: allOf.stellar },
    accounts: { [stellarAccount]: `ed25519:${stellarAccount}` }
  }
] as const

describe("the names of a key", () => {
  it.effect(
    "are the same from its addresses, from its public side, and from rows that were there before there were names",
    () =>
      Effect.gen(function* () {
        const networks = yield* Networks
        for (let round = 0; round < 20; round++) {
          const point = bip32.fromSeed(randomBytes(32)).publicKey
          for (const network of presetNetworks.all.map(({ name }) => name)) {
            const { addressesOf, keysOf } = adapterOf(networks, network).keys
            const publicKey = network === "stellar" ? randomBytes(32) : point
            const addresses = [...addressesOf(publicKey)]
            const [first = ""] = addresses
            if (network === "stellar") addresses.push(muxed(first, 0n), muxed(first, 2n ** 64n - 1n))
            if (network === "bitcoin") {
              addresses.push(payments.p2tr({ internalPubkey: publicKey.subarray(1, 33) }).address ?? "")
              addresses.push(payments.p2wsh({ redeem: payments.p2pk({ pubkey: publicKey }) }).address ?? "")
            }
            const all = allNamesOf(networks, network, publicKey)
            for (const address of addresses) {
              const names = keysOf(address)
              assert.isNotEmpty(names)
              assert.deepStrictEqual(keyNamesOf(network, address), names, address)
              // a script of its own is no form of the key
              if (!(address.startsWith("bc1q") && address.length > 42))
                assert.includeMembers([...all], [...names], address)
            }
          }
        }
      }).pipe(Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies)))
  )

  it.effect("of an account do not depend on the prefix that its extended public key is written with", () =>
    Effect.gen(function* () {
      const networks = yield* Networks
      const nameOf = (network: string, account: string) => adapterOf(networks, network).keys.accountKeyName(account)
      const same =
        "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
      for (const network of ["bitcoin", "ethereum", "tron"]) {
        for (const account of [xpub, same]) {
          assert.strictEqual(nameOf(network, account), xpubName, network)
          assert.strictEqual(accountNameOf(account), xpubName)
        }
      }
      assert.strictEqual(accountNameOf(stellarAccount), nameOf("stellar", stellarAccount))
    }).pipe(Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies)))
  )

  it.effect("are stored, so each family of networks writes them for good as it wrote them first", () =>
    Effect.gen(function* () {
      const networks = yield* Networks
      for (const { accounts, network, ofAddresses, publicKey } of golden) {
        const { accountKeyName, addressesOf, keysOf, keysOfPublicKey } = adapterOf(networks, network).keys
        const bytes = Buffer.from(publicKey, "hex")
        const names = Object.fromEntries(addressesOf(bytes).map((address) => [address, keysOf(address)]))
        assert.deepStrictEqual(names, ofAddresses, network)
        assert.deepStrictEqual(keysOfPublicKey(bytes), allOf[network], network)
        for (const [account, name] of Object.entries(accounts)) assert.strictEqual(accountKeyName(account), name)
        const everywhere = network === "stellar" ? allOf.stellar : [...allOf.ethereum, ...allOf.bitcoin]
        assert.sameMembers([...allNamesOf(networks, network, bytes)], everywhere)
      }
      assert.deepStrictEqual(adapterOf(networks, "stellar").keys.keysOf(muxed(stellarAccount, 7n)), [
        `ed25519:${stellarAccount}`
      ])
      const { keysOf } = adapterOf(networks, "bitcoin").keys
      const taproot = "bc1pmfr3p9j00pfxjh0zmgp99y8zftmd3s5pmedqhyptwy6lm87hf5sspknck9"
      assert.deepStrictEqual(keysOf(taproot), allOf.bitcoin.slice(3))
    }).pipe(Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies)))
  )
})
