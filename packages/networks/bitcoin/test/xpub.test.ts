import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { type AccountXpub, type BitcoinChainName, deriveAddress, parseXpub } from "@bursar/bitcoin"
import vectors from "./vectors/derivation.json" with { type: "json" }

const versions = {
  xpub: 0x0488b21e,
  ypub: 0x049d7cb2,
  zpub: 0x04b24746,
  tpub: 0x043587cf,
  upub: 0x044a5262,
  vpub: 0x045f1cf6,
  Ypub: 0x0295b43f,
  Zpub: 0x02aa7ed3
} as const

const bip32 = BIP32Factory(ecc)
const network = (publicVersion: number) => ({
  ...{ messagePrefix: "", bech32: "", pubKeyHash: 0, scriptHash: 0, wif: 0x80 },
  bip32: { public: publicVersion, private: 0x0488ade4 }
})

/** The same key under another prefix. */
const as = (xpub: string, prefix: keyof typeof versions) => {
  const key = bip32.fromBase58(xpub, network(versions.xpub))
  key.network = network(versions[prefix])
  return key.toBase58()
}

const taken = (chain: BitcoinChainName, text: string): AccountXpub => Result.getOrThrow(parseXpub(chain, text))

/** The code and the words of a refusal, in one line. */
const refusal = (chain: BitcoinChainName, text: string) => {
  const found = parseXpub(chain, text)
  return Result.isFailure(found) ? `${found.failure.code}: ${found.failure.message}` : `taken: ${text}`
}

const native = vectors["bitcoin p2wpkh m/84'/0'/0'"]
const nested = vectors["bitcoin p2sh-p2wpkh m/49'/0'/0'"]

describe("parseXpub and deriveAddress", () => {
  it("derives the addresses of known accounts", () => {
    for (const text of [native.xpub, as(native.xpub, "zpub")]) {
      const xpub = taken("main", text)
      assert.deepStrictEqual([deriveAddress(xpub, 0), deriveAddress(xpub, 1)], [native["0"], native["1"]])
      assert.strictEqual(xpub.scriptType, "p2wpkh")
    }
    const xpub = taken("main", as(nested.xpub, "ypub"))
    assert.deepStrictEqual([deriveAddress(xpub, 0), deriveAddress(xpub, 1)], [nested["0"], nested["1"]])
    assert.strictEqual(xpub.scriptType, "p2sh-p2wpkh")
  })

  it("gives one canonical form per key and script type", () => {
    const forms = (["xpub", "zpub"] as const).map((prefix) => taken("main", as(native.xpub, prefix)))
    assert.strictEqual(forms[0]?.canonical, forms[1]?.canonical)
    assert.strictEqual(forms[0]?.canonical, as(native.xpub, "zpub"))
    assert.strictEqual(forms[0]?.text, native.xpub)
    const elsewhere = (["xpub", "zpub", "tpub", "vpub"] as const).map(
      (prefix) => taken("regtest", as(native.xpub, prefix)).canonical
    )
    assert.deepStrictEqual(new Set(elsewhere), new Set([as(native.xpub, "vpub")]))
    assert.notStrictEqual(taken("main", as(native.xpub, "ypub")).canonical, forms[0]?.canonical)
  })

  it("gives addresses of its chain, whatever the prefix", () => {
    for (const prefix of ["xpub", "zpub", "tpub", "vpub"] as const) {
      assert.strictEqual(
        deriveAddress(taken("regtest", as(native.xpub, prefix)), 0),
        "bcrt1qcr8te4kr609gcawutmrza0j4xv80jy8zeqchgx"
      )
    }
    assert.match(deriveAddress(taken("test", as(nested.xpub, "upub")), 0), /^2/u)
  })

  it("takes test prefixes on test chains only", () => {
    for (const prefix of ["tpub", "upub", "vpub"] as const) {
      assert.match(refusal("main", as(native.xpub, prefix)), /^xpub_invalid: .*test network/u)
      taken("test", as(native.xpub, prefix))
    }
  })

  it("refuses private keys without repeating them", () => {
    const key = bip32.fromSeed(new Uint8Array(32).fill(1), network(versions.xpub)).derivePath("m/84'/0'/0'").toBase58()
    assert.match(refusal("main", key), /^xpub_invalid: .*private key/u)
    for (const prefix of ["yprv", "zprv", "tprv", "uprv", "vprv"]) {
      assert.match(refusal("regtest", prefix + key.slice(4)), /^xpub_invalid: .*private key/u)
    }
    const found = parseXpub("main", key)
    assert.notInclude(Result.isFailure(found) ? found.failure.message : "", key.slice(4, 20))
  })

  it("refuses keys of another depth under a code of its own", () => {
    const account = bip32.fromBase58(native.xpub, network(versions.xpub))
    assert.match(refusal("main", account.derive(0).toBase58()), /^xpub_not_depth_3: .*depth 4/u)
    const master = bip32.fromSeed(new Uint8Array(32).fill(1), network(versions.xpub)).neutered()
    assert.match(refusal("main", master.toBase58()), /^xpub_not_depth_3: .*depth 0/u)
  })

  it("refuses a wrong checksum, multisig prefixes and other texts", () => {
    assert.match(
      refusal("main", native.xpub.slice(0, -1) + (native.xpub.endsWith("V") ? "W" : "V")),
      /^xpub_invalid: .*checksum/u
    )
    assert.match(refusal("main", `${native.xpub} `), /^xpub_invalid: .*checksum/u)
    assert.match(refusal("main", as(native.xpub, "Zpub")), /^xpub_invalid: .*multisig/u)
    // The version bytes of one prefix under the letters of another.
    assert.match(refusal("main", `zpub${native.xpub.slice(4)}`), /^xpub_invalid: .*checksum/u)
    for (const text of ["", "xpub", "hello", native["0"]]) assert.match(refusal("main", text), /^xpub_invalid: .*./u)
  })

  it("derives nothing at an index that is none", () => {
    const xpub = taken("main", native.xpub)
    for (const index of [-1, 0.5, 2 ** 31, Number.NaN]) assert.throws(() => deriveAddress(xpub, index))
    assert.match(deriveAddress(xpub, 2 ** 31 - 1), /^bc1q/u)
  })
})
