import { redactEndpoint } from "@bursar/core/port/redactEndpoint"
import { assert, describe, it } from "@effect/vitest"

describe("redactEndpoint", () => {
  it("leaves the words of a node whole however short a password is", () => {
    const words = "a node at a path says: a block is not available; try again in a minute"
    for (const url of ["http://a:a@127.0.0.1:1/", "http://u:no@host/a/b?k=is&n=a", "http://in@host/node/v1"])
      assert.strictEqual(redactEndpoint([url])(words), words)
  })

  it("takes out a short user and password where they can stand: in the address and in the header", () => {
    const clean = redactEndpoint(["http://u:p@127.0.0.1:8332/"])
    assert.strictEqual(
      clean("cannot reach http://u:p@127.0.0.1:8332/"),
      "cannot reach http://[redacted]@127.0.0.1:8332/"
    )
    assert.strictEqual(clean(`authorization: Basic ${btoa("u:p")}`), "authorization: Basic [redacted]")
    assert.strictEqual(clean("the user u:p is refused"), "the user [redacted] is refused")
    assert.strictEqual(redactEndpoint(["http://h/?k=x"])("GET /?k=x failed"), "GET /?k=[redacted] failed")
  })

  it("takes out whatever is long enough to be a key, wherever it stands and however it is written", () => {
    const clean = redactEndpoint(["https://user:pass%2Fword@host/v2/0123456789abcdef?apikey=zyxwvuts9"], ["tron-key-1"])
    const told = clean(
      "pass/word pass%2Fword 0123456789abcdef zyxwvuts9 tron-key-1 " + btoa("user:pass/word") + " user host v2"
    )
    assert.notMatch(told, /pass|0123|zyx|tron-key/u)
    assert.notInclude(told, btoa("user:pass/word"))
    assert.match(told, / user host v2$/u)
  })

  it("takes the longer of two secrets out first, and takes no secret for a pattern", () => {
    const clean = redactEndpoint(["http://h/abcdefgh/abcdefghij"], ["$&secret$1"])
    assert.strictEqual(clean("abcdefghij abcdefgh"), "[redacted] [redacted]")
    assert.strictEqual(clean("is $&secret$1 there"), "is [redacted] there")
  })

  it("takes out a key that stands alone before the host, and nothing where an address has no secret", () => {
    const clean = redactEndpoint(["http://abc@127.0.0.1:8332/"])
    assert.strictEqual(
      clean("cannot reach http://abc@127.0.0.1:8332/"),
      "cannot reach http://[redacted]@127.0.0.1:8332/"
    )
    assert.strictEqual(clean(`Basic ${btoa("abc:")}`), "Basic [redacted]")
    const words = "ask olga@example.com: flag=on, flag= and k=v are as they were; authorization: Basic Og=="
    assert.strictEqual(redactEndpoint(["http://host/path?flag="])(words), words)
  })

  it("takes out a key with a % that stands for nothing", () => {
    assert.strictEqual(redactEndpoint(["http://h/%zz012345"])("GET /%zz012345 failed"), "GET /[redacted] failed")
  })
})
