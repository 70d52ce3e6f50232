import { assert, describe, it } from "@effect/vitest"
import { addressGroup, clientAddress, isWithin, parseRange, parseRanges } from "../../src/http/clientAddress.ts"

const trusted = parseRanges(["10.0.0.0/8", "fd00::/8"])

describe("clientAddress", () => {
  it("is the peer where the peer is no trusted proxy, whatever it forwards", () => {
    assert.strictEqual(clientAddress("203.0.113.7", "198.51.100.1", trusted), "203.0.113.7")
    assert.strictEqual(clientAddress("203.0.113.7", undefined, trusted), "203.0.113.7")
  })

  it("is the rightmost address that is no proxy", () => {
    assert.strictEqual(clientAddress("10.0.0.1", "198.51.100.1, 203.0.113.7, 10.9.9.9", trusted), "203.0.113.7")
  })

  it("never looks at what stands left of the client", () => {
    assert.strictEqual(clientAddress("10.0.0.1", "not an address, 203.0.113.7", trusted), "203.0.113.7")
    assert.strictEqual(clientAddress("10.0.0.1", "198.51.100.1, 203.0.113.7", trusted), "203.0.113.7")
  })

  it("is the peer where what a proxy forwards cannot be read", () => {
    for (const forwarded of ["", "unknown", "203.0.113.7:443", "203.0.113.7,", "203.0.113", "1.2.3.4.5"]) {
      assert.strictEqual(clientAddress("10.0.0.1", forwarded, trusted), "10.0.0.1", forwarded)
    }
  })

  it("is the furthest proxy where proxies are all there is", () => {
    assert.strictEqual(clientAddress("10.0.0.1", "10.0.0.3, 10.0.0.2", trusted), "10.0.0.3")
  })

  it("takes IPv4 inside IPv6 for IPv4, and writes IPv6 in one way", () => {
    assert.strictEqual(clientAddress("::ffff:203.0.113.7", undefined, trusted), "203.0.113.7")
    assert.strictEqual(clientAddress("::ffff:10.0.0.1", "2001:DB8:0:0::1", trusted), "2001:db8::1")
  })
})

describe("isWithin", () => {
  it("reads single addresses and ranges, host bits and all", () => {
    assert.isTrue(isWithin(parseRanges(["203.0.113.7"]), "203.0.113.7"))
    assert.isFalse(isWithin(parseRanges(["203.0.113.7"]), "203.0.113.8"))
    assert.isTrue(isWithin(parseRanges(["203.0.113.77/24"]), "203.0.113.1"))
    assert.isTrue(isWithin(parseRanges(["2001:db8::/32"]), "2001:db8:ffff::1"))
    assert.isFalse(isWithin(parseRanges(["0.0.0.0/0"]), "2001:db8::1"))
  })

  it("lets nobody in by what cannot be read", () => {
    for (const text of ["", "example.com", "1.2.3.4/33", "1.2.3/8", "::/129", "1.2.3.4/-1"]) {
      assert.isUndefined(parseRange(text), text)
      assert.isFalse(isWithin(parseRanges([text]), "1.2.3.4"), text)
    }
    assert.isFalse(isWithin(parseRanges(["0.0.0.0/0"]), "no address"))
  })
})

describe("addressGroup", () => {
  it("takes the /64 of an IPv6 address together, and IPv4 one by one", () => {
    assert.strictEqual(addressGroup("2001:db8::1"), addressGroup("2001:db8::ffff:1"))
    assert.notStrictEqual(addressGroup("2001:db8::1"), addressGroup("2001:db8:0:1::1"))
    assert.strictEqual(addressGroup("203.0.113.7"), "203.0.113.7")
  })
})
