import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkUrl, mayConnect, reachOf } from "../../src/egress/Reach.ts"

const live = reachOf("LIVE", true)
const sandbox = reachOf("SANDBOX", false)
const development = reachOf("SANDBOX", true)

describe("mayConnect", () => {
  for (const address of ["8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001::200e"]) {
    it(`admits ${address}`, () => assert.isTrue(mayConnect(address, live)))
  }

  const never = [
    "0.0.0.0",
    "169.254.169.254",
    "169.254.0.1",
    "169.254.170.2",
    "168.63.129.16",
    "192.0.0.192",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "fd00:ec2::254",
    "fd00:0ec2:0:0:0:0:0:254",
    "fd20:ce::254",
    "::ffff:168.63.129.16",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "4000::1",
    "not an address",
    "1.2.3"
  ]
  for (const address of never) {
    it(`refuses ${address}, local addresses allowed or not`, () => {
      assert.isFalse(mayConnect(address, live))
      assert.isFalse(mayConnect(address, development))
    })
  }

  for (const address of ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "::1", "fd00::1"]) {
    it(`admits ${address} to a sandbox tenant of a development set-up alone`, () => {
      assert.isFalse(mayConnect(address, live))
      assert.isFalse(mayConnect(address, sandbox))
      assert.isTrue(mayConnect(address, development))
    })
  }
})

describe("checkUrl", () => {
  const refused = [
    "http://example.com/hook",
    "ftp://example.com/hook",
    "example.com/hook",
    "https://user:secret@example.com/",
    "https://user@example.com/",
    "https://169.254.169.254/latest/meta-data",
    "https://168.63.129.16/machine",
    "https://2822734096/machine",
    "https://[fd00:ec2::254]/latest",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    "https://0.0.0.0/",
    "https://0/",
    "https://127.1/",
    "https://2130706433/",
    "https://0177.0.0.1/",
    "https://0x7f.0.0.1/",
    "https://0x7f000001/",
    "https://127.0.0.1./",
    "https://１２７.0.0.1/",
    `https://example.com/${"a".repeat(2_048)}`
  ]
  for (const url of refused) {
    it(`refuses ${url.slice(0, 60)}`, () => assert.isTrue(Result.isFailure(checkUrl(url, live))))
  }

  it("takes https URLs of names and public addresses, with ports and queries", () => {
    for (const url of [
      "https://example.com/hook?a=b",
      "https://example.com:8443/",
      "https://8.8.8.8/",
      "https://[2606:4700::1]/"
    ]) {
      assert.isTrue(Result.isSuccess(checkUrl(url, live)), url)
    }
  })

  it("takes http for sandbox tenants, and loopback only where it was allowed", () => {
    assert.isTrue(Result.isSuccess(checkUrl("http://example.com/", sandbox)))
    assert.isTrue(Result.isFailure(checkUrl("http://127.0.0.1:9000/", sandbox)))
    assert.isTrue(Result.isSuccess(checkUrl("http://127.0.0.1:9000/", development)))
    assert.isTrue(Result.isFailure(checkUrl("http://169.254.169.254/", development)))
  })

  it("keeps live tenants to https and public addresses whatever the set-up", () => {
    assert.deepStrictEqual(live, { http: false, local: false })
  })
})
