import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { accountKeyName } from "@bursar/core/address/KeyClaim"
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

  it("of an account do not depend on the prefix that its extended public key is written with", () => {
    const account =
      "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V"
    const same =
      "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
    assert.strictEqual(accountKeyName(account), accountKeyName(same))
    for (const text of [account, same]) assert.strictEqual(accountNameOf(text), accountKeyName(text))
    const stellar = "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"
    assert.strictEqual(accountNameOf(stellar), accountKeyName(stellar))
  })
})
