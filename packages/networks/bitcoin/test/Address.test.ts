import { assert, describe, it } from "@effect/vitest"
import { address } from "bitcoinjs-lib"
import { Result } from "effect"
import { addressOfScript, type BitcoinChainName, parseBitcoinAddress } from "@bursar/bitcoin"
import { recordedResult } from "./support/FakeNode.ts"

const parsed = (chain: BitcoinChainName, text: string) => Result.getOrUndefined(parseBitcoinAddress(chain, text))

const refusal = (chain: BitcoinChainName, text: string) => {
  const found = parseBitcoinAddress(chain, text)
  return Result.isFailure(found) ? found.failure : `taken as ${found.success}`
}

const p2wpkh = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
const p2tr = "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"
const p2pkh = "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA"
const p2sh = "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf"
// BIP 173 and BIP 350.
const p2wsh = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"

describe("parseBitcoinAddress", () => {
  it("takes every kind of address as it stands", () => {
    for (const text of [p2wpkh, p2wsh, p2tr, p2pkh, p2sh]) assert.strictEqual(parsed("main", text), text)
    assert.strictEqual(
      parsed("test", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"),
      "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
    )
    assert.strictEqual(parsed("regtest", "mvSvTtvD9H9fkgi8MGDyLALgRaR2LhnWFM"), "mvSvTtvD9H9fkgi8MGDyLALgRaR2LhnWFM")
  })

  it("makes segwit addresses lower case, and refuses mixed case", () => {
    assert.strictEqual(parsed("main", p2wpkh.toUpperCase()), p2wpkh)
    assert.match(refusal("main", p2wpkh.replace("cr8", "cR8")), /mixes upper and lower/u)
    assert.match(refusal("main", `BC${p2wpkh.slice(2)}`), /mixes upper and lower/u)
  })

  it("never changes the case of base58", () => {
    assert.match(refusal("main", p2pkh.toUpperCase()), /not a bitcoin address|checksum/u)
    assert.match(refusal("main", p2sh.toLowerCase()), /not a bitcoin address|checksum/u)
  })

  it("refuses addresses of the other chains", () => {
    for (const chain of ["test", "regtest"] as const) {
      for (const text of [p2wpkh, p2tr, p2pkh, p2sh]) assert.match(refusal(chain, text), /another network/u)
    }
    assert.match(refusal("main", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"), /another network/u)
    assert.match(refusal("test", "bcrt1q50rtrmj2f8vl9tem8qpfw36ylw5jg9j2dkku3w"), /another network/u)
    assert.match(refusal("main", "2MwJZGrrQQko1S69xSeZt2bRmCSompaJ7in"), /another network/u)
  })

  it("refuses every address with one character changed", () => {
    const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    for (const text of [p2wpkh, p2tr]) {
      for (let at = 4; at < text.length; at++) {
        const other = letters[(letters.indexOf(text[at]!) + 1) % 32]!
        assert.isUndefined(parsed("main", text.slice(0, at) + other + text.slice(at + 1)), `character ${at}`)
      }
    }
    assert.match(refusal("main", `${p2pkh.slice(0, -1)}B`), /checksum/u)
  })

  it("refuses the checksum of the other kind of bech32", () => {
    // Version 1 with bech32, version 0 with bech32m (invalid test vectors of BIP 350).
    assert.match(refusal("main", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd"), /wrong/u)
    assert.match(refusal("main", "bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq54mell"), /wrong/u)
  })

  it("refuses segwit programs that nobody, or anybody, could spend", () => {
    // Pay to anchor, and version 16 of BIP 350.
    assert.match(refusal("regtest", "bcrt1pfeesnyr2tx"), /segwit version/u)
    assert.match(refusal("main", "BC1SW50QGDZ25J"), /segwit version/u)
    // The x coordinate is that of no point of the curve.
    const nowhere = address.toBech32(new Uint8Array(32).fill(0xff), 1, "bc")
    assert.match(refusal("main", nowhere), /no valid key/u)
    // Version 0 with 16 bytes (BIP 173).
    assert.match(refusal("main", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P"), /20 or 32 bytes/u)
  })

  it("refuses what is no address at all", () => {
    for (const text of [
      "",
      " ",
      "hello",
      `${p2wpkh} `,
      ` ${p2pkh}`,
      "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
      p2wpkh.repeat(10)
    ]) {
      assert.isUndefined(parsed("main", text), text)
    }
  })
})

describe("addressOfScript", () => {
  it("gives the address that a real node gives, and none for bare scripts and later segwit versions", () => {
    const { tx } = recordedResult("getblock", 2)
    const withAddress = new Set([
      "witness_v0_keyhash",
      "pubkeyhash",
      "scripthash",
      "witness_v0_scripthash",
      "witness_v1_taproot"
    ])
    const seen = new Set<string>()
    for (const { scriptPubKey } of tx[1].vout) {
      const expected = withAddress.has(scriptPubKey.type) ? scriptPubKey.address : null
      assert.strictEqual(addressOfScript("regtest", Buffer.from(scriptPubKey.hex, "hex")), expected, scriptPubKey.type)
      seen.add(scriptPubKey.type)
    }
    assert.sameMembers(
      [...seen],
      [...withAddress, "nulldata", "multisig", "pubkey", "anchor", "witness_unknown", "nonstandard"]
    )
  })

  it("gives addresses that are taken as canonical", () => {
    for (const { scriptPubKey } of recordedResult("getblock", 2).tx[1].vout) {
      const found = addressOfScript("regtest", Buffer.from(scriptPubKey.hex, "hex"))
      assert.strictEqual(found === null ? null : parsed("regtest", found), found)
    }
  })
})
