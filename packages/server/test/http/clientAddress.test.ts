import { assert, describe, it } from "@effect/vitest"
import {
  addressGroup,
  clientAddress,
  makeDirectAddress,
  isWithin,
  parseProxies,
  parseRange,
  parseRanges
} from "../../src/http/clientAddress.ts"
import { forwardedHops } from "../../src/http/forwardedHops.ts"

const trusted = parseRanges(["10.0.0.0/8", "fd00::/8"])

/** The client's address by `X-Forwarded-For`, and by the same hops in `Forwarded`. */
const by = (peer: string, forwardedFor: string | undefined) => {
  const hops = forwardedFor?.split(",").map((hop) => hop.trim())
  const forwarded = hops?.map((hop) => `for="${hop.includes(":") ? `[${hop}]` : hop}";proto=https`).join(", ")
  const address = clientAddress(peer, { forwardedFor, forwarded: undefined }, trusted)
  assert.strictEqual(clientAddress(peer, { forwardedFor: undefined, forwarded }, trusted), address, forwarded)
  assert.strictEqual(clientAddress(peer, { forwardedFor, forwarded }, trusted), address, forwarded)
  return address
}

describe("makeDirectAddress", () => {
  it("gives what clientAddress gives for every peer that is no proxy, and nothing for a proxy, the first time and again", () => {
    const direct = makeDirectAddress(trusted)
    const peers = [
      "203.0.113.7",
      "::ffff:203.0.113.7",
      "2001:DB8::1",
      "",
      "nonsense",
      "10.0.0.1",
      "::ffff:10.0.0.1",
      "fd00::1"
    ]
    for (const peer of [...peers, ...peers]) {
      const isProxy = isWithin(trusted, peer)
      assert.strictEqual(direct(peer), isProxy ? undefined : by(peer, "198.51.100.1"), peer)
    }
  })

  it("does not take many peers for each other", () => {
    const direct = makeDirectAddress(trusted)
    for (let index = 0; index < 30_000; index++) {
      const peer = `${index % 2 === 0 ? 10 : 11}.0.${index >> 8}.${index & 255}`
      assert.strictEqual(direct(peer), index % 2 === 0 ? undefined : peer)
    }
  })
})

describe("clientAddress", () => {
  it("is the peer where the peer is no trusted proxy, whatever it forwards", () => {
    assert.strictEqual(by("203.0.113.7", "198.51.100.1"), "203.0.113.7")
    assert.strictEqual(by("203.0.113.7", undefined), "203.0.113.7")
    const two = { forwardedFor: "198.51.100.1", forwarded: "for=198.51.100.2" }
    assert.strictEqual(clientAddress("203.0.113.7", two, trusted), "203.0.113.7")
  })

  it("is the rightmost address that is no proxy", () => {
    assert.strictEqual(by("10.0.0.1", "198.51.100.1, 203.0.113.7, 10.9.9.9"), "203.0.113.7")
  })

  it("never looks at what stands left of the client", () => {
    assert.strictEqual(by("10.0.0.1", "not an address, 203.0.113.7"), "203.0.113.7")
    assert.strictEqual(by("10.0.0.1", "198.51.100.1, 203.0.113.7"), "203.0.113.7")
  })

  it("is nobody's where a proxy tells none, or one that cannot be read", () => {
    for (const forwarded of [undefined, "", "unknown", "203.0.113.7:x", "203.0.113.7,", "203.0.113", "1.2.3.4.5"]) {
      assert.isUndefined(by("10.0.0.1", forwarded), forwarded)
      assert.isUndefined(by("::ffff:10.0.0.1", forwarded), forwarded)
    }
    assert.isUndefined(by("10.0.0.1", "203.0.113.7, unknown, 10.0.0.2"))
  })

  it("is nobody's where the two headers of a proxy do not agree", () => {
    const disagreeing = [
      ["203.0.113.7", "for=203.0.113.8"],
      ["203.0.113.7", "for=unknown"],
      ["nonsense", "for=203.0.113.7"],
      ["203.0.113.7", "nonsense"]
    ] as const
    for (const [forwardedFor, forwarded] of disagreeing)
      assert.isUndefined(clientAddress("10.0.0.1", { forwardedFor, forwarded }, trusted), forwarded)
  })

  it("is the furthest proxy where proxies are all there is", () => {
    assert.strictEqual(by("10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3")
  })

  it("takes IPv4 inside IPv6 for IPv4, and writes IPv6 in one way", () => {
    assert.strictEqual(by("::ffff:203.0.113.7", undefined), "203.0.113.7")
    assert.strictEqual(by("::ffff:10.0.0.1", "2001:DB8:0:0::1"), "2001:db8::1")
  })
})

describe("forwardedHops", () => {
  const read: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>]> = [
    ["for=203.0.113.7", ["203.0.113.7"]],
    [`For="203.0.113.7:4711";by=10.0.0.1;proto=https`, ["203.0.113.7"]],
    [`for="[2001:db8::1]:4711", for=10.0.0.2`, ["2001:db8::1", "10.0.0.2"]],
    [`for="_a,b;c=\\"", for=10.0.0.2`, [undefined, "10.0.0.2"]],
    ["proto=https, for=10.0.0.2", [undefined, "10.0.0.2"]],
    ["for=unknown", [undefined]],
    ["for=2001:db8::1", [undefined]],
    ["for=1.2.3.4;for=5.6.7.8", [undefined]],
    ["for=1.2.3.4,", ["1.2.3.4", undefined]],
    [`for="1.2.3.4`, [undefined]],
    ["for=1.2.3.4 for=5.6.7.8", [undefined]],
    ["", [undefined]]
  ]
  for (const [header, hops] of read) it(`reads ${header}`, () => assert.deepStrictEqual(forwardedHops(header), hops))
})

describe("parseProxies", () => {
  it("takes addresses and ranges, and nothing else", () => {
    assert.lengthOf(parseProxies(["10.0.0.0/8", "fd00::1"]), 2)
    for (const text of ["", "example.com", "10.0.0.0/33", "10.0.0.0/8 ", "0.0.0.0/0", "::/0"])
      assert.throws(() => parseProxies([text]), /./u, text)
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
