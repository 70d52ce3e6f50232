import { deriveAddress, parseXpub } from "@bursar/tron"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { TronWeb } from "tronweb"

// m/44'/195'/0' of the mnemonic "abandon × 11 about" without a passphrase.
const account =
  "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"

const refusal = (text: string): string =>
  Result.match(parseXpub(text), {
    onFailure: ({ code, message }) => `${code}: ${message}`,
    onSuccess: () => "accepted"
  })

const mnemonic = `${"abandon ".repeat(11)}about`

describe("parseXpub", () => {
  it("derives the addresses that wallets show", () => {
    const xpub = Result.getOrThrow(parseXpub(account))
    assert.strictEqual(deriveAddress(xpub, 0), "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH")
    assert.strictEqual(deriveAddress(xpub, 1), "TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK")
    for (const index of [2, 1_000]) {
      const { address } = TronWeb.fromMnemonic(mnemonic, `m/44'/195'/0'/0/${index}`)
      assert.strictEqual(deriveAddress(xpub, index), address)
    }
  })

  it("throws for what is no index", () => {
    const xpub = Result.getOrThrow(parseXpub(account))
    for (const index of [-1, 0.5, 2 ** 31]) assert.throws(() => deriveAddress(xpub, index), /not an index/u)
  })

  it("refuses what is no account's public key, and says why", () => {
    const bip32 = BIP32Factory(ecc)
    const root = bip32.fromSeed(new Uint8Array(32).fill(7))
    const at = (path: string) => root.derivePath(path).neutered().toBase58()
    const version = (bytes: number) => ({
      messagePrefix: "",
      bech32: "",
      wif: 0,
      pubKeyHash: 0,
      scriptHash: 0,
      bip32: { public: bytes, private: 0 }
    })
    const withVersion = (bytes: number) => {
      const node = root.derivePath("m/44'/195'/0'").neutered()
      node.network = version(bytes)
      return node.toBase58()
    }
    assert.strictEqual(refusal(at("m/44'/195'/0'")), "accepted")
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [root.derivePath("m/44'/195'/0'").toBase58(), /^xpub_invalid: .*private key/u],
      [at("m/44'/195'"), /^xpub_not_depth_3: .*depth 2/u],
      [at("m/44'/195'/0'/0"), /^xpub_not_depth_3: .*depth 4/u],
      [root.neutered().toBase58(), /^xpub_not_depth_3: .*depth 0/u],
      [at("m/44'/195'/0"), /^xpub_invalid: .*hardened/u],
      [withVersion(0x043587cf), /^xpub_invalid: .*xpub is expected/u],
      [withVersion(0x04b24746), /^xpub_invalid: .*xpub is expected/u],
      [`${account.slice(0, -1)}e`, /^xpub_invalid: .*checksum/u],
      [account.slice(0, -1), /^xpub_invalid/u],
      ["TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH", /^xpub_invalid/u],
      ["", /^xpub_invalid/u]
    ]
    for (const [text, expected] of cases) assert.match(refusal(text), expected, text)
  })
})
