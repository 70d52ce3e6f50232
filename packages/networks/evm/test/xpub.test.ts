import { deriveAddress, parseXpub } from "@bursar/evm/Keys"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { mnemonicToAccount } from "viem/accounts"

// m/44'/60'/0' of the mnemonic "abandon × 11 about" without a passphrase
const account =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"

const refusal = (text: string): string =>
  Result.match(parseXpub(text), {
    onFailure: ({ code, message }) => `${code}: ${message}`,
    onSuccess: () => "accepted"
  })

const mnemonic = `${"abandon ".repeat(11)}about`

describe("parseXpub", () => {
  it("derives the addresses that wallets show", () => {
    const xpub = Result.getOrThrow(parseXpub(account))
    assert.strictEqual(deriveAddress(xpub, 0), "0x9858EfFD232B4033E47d90003D41EC34EcaEda94")
    assert.strictEqual(deriveAddress(xpub, 1), "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0")
    for (const addressIndex of [2, 1_000, 0x7fff_ffff]) {
      assert.strictEqual(deriveAddress(xpub, addressIndex), mnemonicToAccount(mnemonic, { addressIndex }).address)
    }
  })

  it("throws for what is no index", () => {
    const xpub = Result.getOrThrow(parseXpub(account))
    for (const index of [-1, 0.5, 2 ** 31]) assert.throws(() => deriveAddress(xpub, index), /not an index/u)
  })

  it("refuses what is no account's public key, and says why", () => {
    const root = BIP32Factory(ecc).fromSeed(new Uint8Array(32).fill(7))
    const at = (path: string) => root.derivePath(path).neutered().toBase58()
    const withVersion = (bytes: number) => {
      const node = root.derivePath("m/44'/60'/0'").neutered()
      node.network = { ...node.network, bip32: { public: bytes, private: 0 } }
      return node.toBase58()
    }
    assert.strictEqual(refusal(at("m/44'/60'/0'")), "accepted")
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [root.derivePath("m/44'/60'/0'").toBase58(), /^xpub_invalid: .*private key/u],
      [at("m/44'/60'"), /^xpub_not_depth_3: .*depth 2/u],
      [at("m/44'/60'/0'/0"), /^xpub_not_depth_3: .*depth 4/u],
      [root.neutered().toBase58(), /^xpub_not_depth_3: .*depth 0/u],
      [at("m/44'/60'/0"), /^xpub_invalid: .*hardened/u],
      [withVersion(0x043587cf), /^xpub_invalid: .*xpub is expected/u],
      [withVersion(0x04b24746), /^xpub_invalid: .*xpub is expected/u],
      [`${account.slice(0, -1)}u`, /^xpub_invalid: .*checksum/u],
      [account.slice(0, -1), /^xpub_invalid: .*length/u],
      ["0x9858EfFD232B4033E47d90003D41EC34EcaEda94", /^xpub_invalid/u],
      ["", /^xpub_invalid/u]
    ]
    for (const [text, expected] of cases) assert.match(refusal(text), expected, text)
  })
})
